//! A page of one sentence, such as 'this link does not work any more'. It needs no file of the app.

/// A page with this title, and this body in HTML, which has nothing that came from outside.
pub fn notice_page(title: &str, body: &str) -> String {
    format!(
        r#"<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Pilothouse: {title}</title>
<style>
body {{ max-width: 27em; margin: 0 auto; padding: 18vh 24px 24px; font: 0.9375rem/1.55 system-ui, sans-serif;
  color: light-dark(#1c2329, #e0e3e6); background: light-dark(#fff, #14181b) }}
h1 {{ font-size: 1.125rem; line-height: 1.35; margin: 0 0 8px }}
p {{ margin: 0 0 12px }}
a {{ color: light-dark(#0a5bb5, #7db8ff) }}
</style>
<h1>{title}</h1>
<p>{body}</p>
</html>
"#
    )
}
