//! `/docs/examples`: the programs of the SDKs, which are the very files that the tests of the SDKs run.

use std::{fmt::Write, sync::LazyLock};

use axum::{
    http::header,
    response::{Html, IntoResponse, Response},
};

const HEAD: &str = include_str!("examples.html");
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

const LANGUAGES: [&str; 5] = ["Python", "TypeScript", "Java", "Kotlin", "Swift"];

macro_rules! sdk {
    ($path:literal) => {
        include_str!(concat!("../../../sdk/", $path))
    };
}

/// What each program does, and its source in the order of the languages.
const PROGRAMS: [(&str, [&str; 5]); 4] = [
    (
        "Which stations are around me?",
        [
            sdk!("python/examples/around_me.py"),
            sdk!("typescript/examples/around_me.ts"),
            sdk!("java/examples/AroundMe.java"),
            sdk!("android/examples/AroundMe.kt"),
            sdk!("swift/examples/around_me/main.swift"),
        ],
    ),
    (
        "What is this?",
        [
            sdk!("python/examples/what_is_this.py"),
            sdk!("typescript/examples/what_is_this.ts"),
            sdk!("java/examples/WhatIsThis.java"),
            sdk!("android/examples/WhatIsThis.kt"),
            sdk!("swift/examples/what_is_this/main.swift"),
        ],
    ),
    (
        "Teach it three things",
        [
            sdk!("python/examples/teach.py"),
            sdk!("typescript/examples/teach.ts"),
            sdk!("java/examples/Teach.java"),
            sdk!("android/examples/Teach.kt"),
            sdk!("swift/examples/teach/main.swift"),
        ],
    ),
    (
        "Tell it that it was wrong",
        [
            sdk!("python/examples/correct.py"),
            sdk!("typescript/examples/correct.ts"),
            sdk!("java/examples/Correct.java"),
            sdk!("android/examples/Correct.kt"),
            sdk!("swift/examples/correct/main.swift"),
        ],
    ),
];

static PAGE: LazyLock<String> = LazyLock::new(page);

pub(crate) async fn examples() -> Response {
    ([(header::CONTENT_SECURITY_POLICY, POLICY), (header::X_CONTENT_TYPE_OPTIONS, "nosniff")], Html(PAGE.as_str()))
        .into_response()
}

/// One language is open for each program; a browser closes it when another one of the same name is opened.
fn page() -> String {
    let mut page = String::from(HEAD);
    for (number, (title, sources)) in PROGRAMS.iter().enumerate() {
        let _ = writeln!(page, "<h2>{title}</h2>");
        for (at, (language, source)) in LANGUAGES.iter().zip(sources).enumerate() {
            let open = if at == 0 { " open" } else { "" };
            let source = escape(source.trim_end());
            let _ = writeln!(page, "<details name=\"program-{number}\"{open}><summary>{language}</summary>");
            let _ = writeln!(page, "<pre><code>{source}</code></pre>\n</details>");
        }
    }
    page.push_str("</main>\n</html>\n");
    page
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_is_shown_in_every_language_as_it_is() {
        let page = page();
        assert_eq!(page.matches("<pre>").count(), PROGRAMS.len() * LANGUAGES.len());
        assert_eq!(page.matches(" open>").count(), PROGRAMS.len());
        let plain = page.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
        for source in PROGRAMS.iter().flat_map(|(_, sources)| sources) {
            assert!(plain.contains(source.trim_end()), "{source}");
        }
        assert!(!page.contains("Array<String>"), "source is text and never markup");
    }
}
