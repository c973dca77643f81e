//! Tables on the page: those of Markdown, and widgets.

use pulldown_cmark::Alignment;

use super::escape::escape;
use super::{MAX_DEPTH, Page};
use crate::record::Form;
use crate::widget::{Cell, Widget};

/// How many tags of a table stand in each other.
pub(super) const TABLE_DEPTH: usize = 4;

impl Page<'_, '_> {
    pub(super) fn begin_row(&mut self, in_head: bool) {
        self.in_head = in_head;
        self.column = 0;
        self.html.push_str(if in_head { "<thead><tr>" } else { "<tr>" });
    }

    pub(super) fn begin_cell(&mut self) {
        let alignment = self.alignments.get(self.column).unwrap_or(&Alignment::None);
        self.html.push_str(match (self.in_head, alignment) {
            (true, Alignment::None) => "<th scope=\"col\">",
            (true, Alignment::Left) => "<th scope=\"col\" align=\"left\">",
            (true, Alignment::Center) => "<th scope=\"col\" align=\"center\">",
            (true, Alignment::Right) => "<th scope=\"col\" align=\"right\">",
            (false, Alignment::None) => "<td>",
            (false, Alignment::Left) => "<td align=\"left\">",
            (false, Alignment::Center) => "<td align=\"center\">",
            (false, Alignment::Right) => "<td align=\"right\">",
        });
        self.column += 1;
    }

    /// A widget. Where no more tags may be nested, its cells stand there as text.
    pub(super) fn table(&mut self, widget: &Widget) {
        let hidden = MAX_DEPTH.saturating_sub(self.open.len()) < TABLE_DEPTH;
        if !hidden {
            self.html.push_str("<table><thead><tr>");
            for name in &widget.columns {
                self.html.push_str("<th scope=\"col\">");
                escape(&mut self.html, name);
                self.html.push_str("</th>");
            }
            self.html.push_str("</tr></thead><tbody>\n");
        }
        for row in &widget.rows {
            self.html.push_str(if hidden { "" } else { "<tr>" });
            for cell in row {
                self.html.push_str(if hidden { " " } else { "<td>" });
                match cell {
                    Cell::Text(text) => escape(&mut self.html, text),
                    Cell::Link(link) if link.form() == Form::Chip => self.chip(link),
                    Cell::Link(link) => self.cell_link(link),
                }
                self.html.push_str(if hidden { "" } else { "</td>" });
            }
            self.html.push_str(if hidden { "\n" } else { "</tr>\n" });
        }
        if !hidden {
            self.html.push_str("</tbody></table>");
        }
        self.end_block();
    }
}
