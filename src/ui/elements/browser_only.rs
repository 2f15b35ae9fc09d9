//! Views that are rendered in browsers only: what Leptos asks of them all the same for servers.

/// What Leptos asks of every view for rendering on a server, for one that is only rendered in a browser.
macro_rules! rendered_in_browsers {
    ($view:ty) => {
        impl leptos::prelude::RenderHtml for $view {
            type AsyncOutput = Self;
            type Owned = Self;

            const MIN_LENGTH: usize = 0;

            fn dry_resolve(&mut self) {}

            async fn resolve(self) -> Self {
                self
            }

            fn to_html_with_buf(
                self,
                _: &mut String,
                _: &mut leptos::tachys::view::Position,
                _: bool,
                _: bool,
                _: Vec<leptos::attr::any_attribute::AnyAttribute>,
            ) {
            }

            fn hydrate<const FROM_SERVER: bool>(
                self,
                _: &leptos::tachys::hydration::Cursor,
                _: &leptos::tachys::view::PositionState,
            ) -> Self::State {
                leptos::prelude::Render::build(self)
            }

            fn into_owned(self) -> Self {
                self
            }
        }
    };
}
pub(super) use rendered_in_browsers;
