//! A device that wants to be told: where to send, whose it is, and what the person chose.

use base64::Engine as _;
use base64::alphabet::URL_SAFE;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde::{Deserialize, Serialize};
use web_push_native::Auth;
use web_push_native::p256::PublicKey;

use super::endpoint::{Endpoint, PushServices};
use crate::access::cookie::LIFE;
use crate::access::person::{Name, Person};
use crate::access::{Access, Role, Standing};
use crate::languages;

/// Browsers leave the padding away, libraries often don't.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// How much a message says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Says {
    /// That something waits.
    #[default]
    Waiting,
    /// The session's title as well.
    Title,
    /// What is asked.
    Asked,
}

/// What a person chose for a device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wishes {
    /// How much a message says.
    #[serde(default)]
    pub says: Says,
    /// Whether a turn that is done is told, too.
    #[serde(default)]
    pub done: bool,
    /// The tag of the language that messages have; English without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
}

/// The keys of a browser's subscription, in base64url.
#[derive(Clone, Serialize, Deserialize)]
pub struct SubscriptionKeys {
    p256dh: String,
    auth: String,
}

/// What a page posts: its browser's subscription as it is, and what the person chose.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Offer {
    endpoint: String,
    keys: SubscriptionKeys,
    #[serde(default)]
    expiration_time: Option<f64>,
    /// What the person chose.
    #[serde(flatten)]
    pub wishes: Wishes,
}

/// A subscription as it is kept.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    endpoint: String,
    keys: SubscriptionKeys,
    /// The public key of the gateway for which the browser made it.
    key: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    operator: bool,
    /// By what the person was let in, see [`Access::standing`].
    standing: String,
    /// What the person chose.
    #[serde(flatten)]
    pub wishes: Wishes,
    /// In milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires: Option<u64>,
    /// When a page posted it last, in milliseconds since 1970.
    seen: u64,
}

/// A subscription that may be sent to.
#[derive(Clone)]
pub struct Device {
    /// Its id within the gateway.
    pub id: String,
    /// Where to send.
    pub endpoint: Endpoint,
    /// Whose it is.
    pub person: Person,
    /// The browser's key.
    pub public: PublicKey,
    /// The secret that the browser shares with its subscribers.
    pub auth: Auth,
    /// As it is kept.
    pub record: Record,
}

/// With what a record is compared.
#[derive(Clone, Debug)]
pub struct PushContext {
    /// Who is let in.
    pub access: Access,
    /// Which push services there are.
    pub services: PushServices,
    /// The gateway's public key.
    pub key: String,
}

impl Offer {
    /// The record of this offer by a person, at this time in milliseconds since 1970.
    pub fn record(self, person: &Person, context: &PushContext, now: u64) -> Result<Record, String> {
        let standing = context.access.standing(person).ok_or("you are not let in any more")?.word();
        let language = self.wishes.language.filter(|tag| languages::named(tag).is_some());
        let expires = self.expiration_time.filter(|time| time.is_finite() && *time > 0.0);
        let record = Record {
            endpoint: self.endpoint,
            keys: self.keys,
            key: context.key.clone(),
            name: person.name.as_ref().map(|name| name.as_str().to_owned()),
            operator: person.role == Role::Operator,
            standing,
            wishes: Wishes { language, ..self.wishes },
            expires: expires.map(|time| time as u64),
            seen: now,
        };
        Ok(record)
    }
}

impl Record {
    /// The device, if its keys and its address can be used. The error is a sentence for people.
    pub fn device(self, services: &PushServices) -> Result<Device, String> {
        let endpoint = services.endpoint(&self.endpoint)?;
        let decode = |text: &str| BASE64.decode(text);
        let public = decode(&self.keys.p256dh).ok().filter(|bytes| bytes.len() == 65);
        let public = public.and_then(|bytes| PublicKey::from_sec1_bytes(&bytes).ok());
        let public = public.ok_or("keys.p256dh is not a public key in base64url")?;
        let auth = decode(&self.keys.auth).ok().filter(|bytes| bytes.len() == 16);
        let auth = auth.ok_or("keys.auth is not 16 bytes in base64url")?;
        let role = if self.operator { Role::Operator } else { Role::Viewer };
        let name = self.name.as_deref().map(Name::new).transpose()?;
        Ok(Device {
            id: endpoint.device(),
            endpoint,
            person: Person::new(role, name),
            public,
            auth: Auth::clone_from_slice(&auth),
            record: self,
        })
    }

    /// When a page posted it last, in milliseconds since 1970.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// Whether it is worth keeping. One that may not be used now, since its person's token is missing, may be used again.
    pub fn is_kept(&self, person: &Person, context: &PushContext, now: u64) -> bool {
        self.key == context.key
            && self.expires.is_none_or(|at| at > now)
            && (self.is_fresh(now) || self.may_be_used(person, context, now))
    }

    /// Whether its person may be told of sessions: whoever was let in by a token still has it, and whom a proxy named came by
    /// not long ago.
    pub fn may_be_used(&self, person: &Person, context: &PushContext, now: u64) -> bool {
        let standing = context.access.standing(person);
        standing.is_some_and(|standing| {
            standing.word() == self.standing && (standing != Standing::Named || self.is_fresh(now))
        }) && self.expires.is_none_or(|at| at > now)
    }

    fn is_fresh(&self, now: u64) -> bool {
        now.saturating_sub(self.seen) < u64::try_from(LIFE.as_millis()).unwrap_or(u64::MAX)
    }
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Device").field("id", &self.id).field("person", &self.person).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{LIFE, Offer, PushContext};
    use crate::access::person::{Name, Person};
    use crate::access::settings::Settings;
    use crate::access::{Access, Role};
    use crate::push::endpoint::PushServices;

    #[test]
    fn a_subscription_is_used_as_long_as_its_person_is_let_in() {
        let with = |settings: Settings, key: &str| PushContext {
            access: Access::open(&settings).unwrap().0,
            services: PushServices::default(),
            key: key.to_owned(),
        };
        let tokens = |text: &str| Settings { operator: Some(text.to_owned()), ..Settings::default() };
        let proxy = || Settings {
            trust_header: Some("X-User".to_owned()),
            trusted_proxies: vec!["::1".to_owned()],
            ..Settings::default()
        };
        let (ana, unnamed) =
            (Person::new(Role::Operator, Some(Name::new("Ana").unwrap())), Person::unnamed(Role::Operator));
        let life = u64::try_from(LIFE.as_millis()).unwrap();
        let (ana_only, open) = ("Ana:token-of-ana-0123", Settings::default);
        // Who subscribed where, and later: where, how long after, may it be used, is it kept?
        for (person, first, then, after, used, kept) in [
            (&ana, tokens(ana_only), tokens(ana_only), 9 * life, true, true),
            (&ana, tokens(ana_only), tokens("Ana:another-of-ana-0123"), 0, false, true),
            (&ana, tokens(ana_only), tokens("Ana:another-of-ana-0123"), life, false, false),
            (&ana, tokens(ana_only), tokens("Bob:token-of-bob-0123"), 0, false, true),
            (&ana, tokens(ana_only), open(), 0, false, true),
            (&ana, proxy(), proxy(), life - 1, true, true),
            (&ana, proxy(), proxy(), life, false, false),
            (&ana, proxy(), tokens(ana_only), 0, false, true),
            (&unnamed, open(), open(), 9 * life, true, true),
            (&unnamed, open(), tokens("token-of-somebody"), 0, false, true),
            (
                &unnamed,
                tokens("token-of-somebody"),
                tokens("token-of-somebody\nBob:token-of-bob-0123"),
                0,
                true,
                true,
            ),
        ] {
            let first = with(first, "k");
            let offer: Offer = serde_json::from_value(json!({
                "endpoint": "https://fcm.googleapis.com/x", "expirationTime": 1e15, "keys": {"p256dh": "", "auth": ""},
            }))
            .unwrap();
            let record = offer.record(person, &first, 7).unwrap();
            let now = 7 + after;
            let then = with(then, "k");
            assert_eq!(record.may_be_used(person, &then, now), used, "{person:?}");
            assert_eq!(record.is_kept(person, &then, now), kept, "{person:?}");
            let other = PushContext { key: "another".to_owned(), ..then };
            assert!(!record.is_kept(person, &other, now), "browsers made it for the other key");
            assert!(!record.may_be_used(person, &first, 1_000_000_000_000_001), "it has expired");
        }
        let stranger = with(tokens(ana_only), "k").access.standing(&unnamed);
        assert_eq!(stranger, None);
    }
}
