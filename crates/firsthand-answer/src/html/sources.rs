//! The list of sources as HTML.

use super::escape::escape;
use super::links::link;
use crate::record::{Kind, Record};
use crate::target::Target;

/// The list of sources as HTML; nothing where there are none. `heading` stands above it.
pub fn sources(record: &Record<'_>, heading: &str) -> String {
    let mut html = String::new();
    if record.items.is_empty() {
        return html;
    }
    html.push_str("<section class=\"sources\"><h2>");
    escape(&mut html, heading);
    html.push_str("</h2>\n<ol>\n");
    for item in &record.items {
        let Ok(target) = Target::read(item.url.as_ref()) else { continue };
        html.push_str("<li>");
        link(&mut html, &target, &item.title);
        if let Some(host) = &item.host {
            html.push_str(" <span class=\"host\">");
            escape(&mut html, host);
            html.push_str("</span>");
        }
        html.push_str(match item.kind {
            Kind::Web => " <span class=\"kind\">web</span>",
            Kind::Connector => " <span class=\"kind\">connector</span>",
            Kind::Record => " <span class=\"kind\">record</span>",
            Kind::Document => " <span class=\"kind\">document</span>",
        });
        html.push_str("</li>\n");
    }
    html.push_str("</ol></section>\n");
    html
}
