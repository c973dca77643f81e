//! Whose the user's place is, in the record that is being read and in the conversation.

use firsthand::conversation::Speaker;

use super::super::node::Node;
use super::super::signs;
use super::Draft;

impl Draft {
    /// Begins a record, given as the objects that say whose it is: what stands in the user's place there is a person's only
    /// where no sign of theirs speaks against it, and what it returned is believed only where none says that it failed.
    pub(in crate::format) fn enter(&mut self, records: &[&Node<'_>]) {
        self.enter_but(records, &[]);
    }

    /// The same for records in which members of these names say nothing of it.
    pub(in crate::format) fn enter_but(&mut self, records: &[&Node<'_>], ordinary: &[&str]) {
        self.doubt = records.iter().find_map(|record| signs::against_but(record, ordinary));
        self.failed = records.iter().any(|record| signs::failed_but(record, ordinary));
    }

    /// Begins a record of which it is known what its signs say.
    pub(in crate::format) fn enter_known(&mut self, doubt: Option<Speaker>, failed: bool) {
        self.doubt = doubt;
        self.failed = failed;
    }

    /// Begins a record of a response: whatever its role says, the model wrote it.
    pub(in crate::format) fn enter_response(&mut self, record: &Node<'_>) {
        self.doubt = Some(Speaker::Assistant);
        self.failed = signs::failed(record);
    }

    /// Notes of the record that is being read that no person typed it, where nothing says whose it is otherwise.
    pub(in crate::format) fn suspect(&mut self, by: Speaker) {
        self.doubt = self.doubt.or(Some(by));
    }

    /// Notes what stands around messages of this conversation: what is a child's there has no person in it.
    pub(in crate::format) fn around(&mut self, around: &Node<'_>) {
        if signs::is_of_a_child(around) {
            self.be_a_child();
        }
    }

    /// Notes that another agent, or nobody, sits in the user's place of this conversation.
    pub(in crate::format) fn be_a_child(&mut self) {
        self.is_child = true;
    }
}
