//! Two switches for how to notify a reader who is not looking, and what they switch on. The browser is
//! asked for nothing before that.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{AudioContext, Notification, NotificationOptions, NotificationPermission, OscillatorType};

use crate::client::storage::BROWSER;
use crate::core::i18n::words::panel;
use crate::ui::elements::builder::el;
use crate::ui::elements::live::Live;

/// The storage keys of the switches.
const NOTIFY: &str = "notify";
const SOUND: &str = "sound";

fn is_enabled(name: &str) -> bool {
    BROWSER.get(name).as_deref() == Some("on")
}

/// Whether any of them is on.
pub(super) fn any_enabled() -> bool {
    is_enabled(NOTIFY) || is_enabled(SOUND)
}

thread_local! {
    /// Created in a person's click, because otherwise the browser would keep it silent.
    static AUDIO: std::cell::RefCell<Option<AudioContext>> = const { std::cell::RefCell::new(None) };
}

/// The switches.
#[component]
pub(super) fn NotificationSettings() -> impl IntoView {
    let refused = RwSignal::new(false);
    let notify = move |on| {
        refused.set(false);
        if on {
            request_permission(refused);
        }
    };
    let sound = |on| {
        if on {
            chime();
        }
    };
    let hint = move || {
        let words = panel::NOTIFY_REFUSED.text();
        refused.get().then(|| el("p").class("hint").attr("role", "status").text(words))
    };
    view! {
        <div class="notification-settings" role="group" aria-label=panel::WISHES.text()>
            <Switch words=panel::NOTIFY.text() name=NOTIFY on_change=notify/>
            <Switch words=panel::SOUND.text() name=SOUND on_change=sound/>
            <p class="hint">{panel::WISHES_HINT.text()}</p>
            {Live::new(hint)}
        </div>
    }
}

/// A switch that the browser remembers.
#[component]
fn Switch(
    /// What it switches.
    words: &'static str,
    /// Its storage key.
    name: &'static str,
    /// Called with whether it is on now.
    #[prop(into)]
    on_change: Callback<(bool,)>,
) -> impl IntoView {
    let change = move |event: web_sys::Event| {
        let on = event_target_checked(&event);
        BROWSER.set(name, if on { "on" } else { "off" });
        on_change.run((on,));
    };
    view! {
        <label class="setting">
            <input type="checkbox" role="switch" checked=is_enabled(name) on:change=change/>
            <span>{words}</span>
        </label>
    }
}

/// Asks for the permission to notify; sets `refused` if it is not given.
fn request_permission(refused: RwSignal<bool>) {
    match Notification::permission() {
        NotificationPermission::Granted => {}
        NotificationPermission::Denied => refused.set(true),
        _ => {
            let Ok(asked) = Notification::request_permission() else {
                refused.set(true);
                return;
            };
            spawn_local(async move {
                let answer = JsFuture::from(asked).await.ok().and_then(|answer| answer.as_string());
                refused.try_set(answer.as_deref() != Some("granted"));
            });
        }
    }
}

/// Shows a system notification and plays a sound, as far as they are switched on.
pub(super) fn notify(title: &str, words: &str) {
    if is_enabled(SOUND) {
        chime();
    }
    if is_enabled(NOTIFY) && Notification::permission() == NotificationPermission::Granted {
        let options = NotificationOptions::new();
        options.set_body(words);
        // One for the page: the newest replaces the others.
        options.set_tag("pilothouse");
        // Some browsers show notifications for service workers only, and throw.
        if let Ok(notification) = Notification::new_with_options(title, &options) {
            let shown = notification.clone();
            let click = wasm_bindgen::closure::Closure::once_into_js(move || {
                let _ = web_sys::window().map(|window| window.focus());
                shown.close();
            });
            notification.set_onclick(Some(click.unchecked_ref()));
        }
    }
}

/// Two soft notes, a fifth apart.
fn chime() {
    let play = || {
        let audio = AUDIO.with_borrow_mut(|audio| match audio {
            Some(audio) => Ok(audio.clone()),
            None => AudioContext::new().inspect(|made| *audio = Some(made.clone())),
        })?;
        // Suspended while nobody has touched the page: then there is just no sound.
        drop(audio.resume()?);
        let now = audio.current_time();
        for (note, start) in [(587.33, 0.0), (880.0, 0.14)] {
            let (tone, volume) = (audio.create_oscillator()?, audio.create_gain()?);
            tone.set_type(OscillatorType::Sine);
            tone.frequency().set_value(note);
            let (begin, end) = (now + start, now + start + 0.35);
            volume.gain().set_value_at_time(0.0001, begin)?;
            volume.gain().exponential_ramp_to_value_at_time(0.12, begin + 0.02)?;
            volume.gain().exponential_ramp_to_value_at_time(0.0001, end)?;
            tone.connect_with_audio_node(&volume)?;
            volume.connect_with_audio_node(&audio.destination())?;
            tone.start_with_when(begin)?;
            tone.stop_with_when(end)?;
        }
        Ok::<(), wasm_bindgen::JsValue>(())
    };
    // In a browser without sound everything else works.
    let _ = play();
}
