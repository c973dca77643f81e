//! The items of each own file, as snapshots.

use crate::{OWN, dump, read_own};

#[test]
fn every_file_is_told_to_be_of_its_format_and_read_as_it_was() {
    for (format, name) in OWN {
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path("../snapshots");
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        let snapshot = format!("{format}_{}", name.replace('.', "_"));
        settings.bind(|| insta::assert_snapshot!(snapshot, dump(&read_own(format, name))));
    }
}

#[test]
fn no_file_of_the_data_folder_is_forgotten() {
    let data = crate::own_path("", "");
    let mut found = Vec::new();
    for folder in std::fs::read_dir(data).unwrap() {
        let folder = folder.unwrap();
        let format = folder.file_name().into_string().unwrap();
        if !OWN.iter().any(|(own, _)| *own == format) {
            continue;
        }
        for file in std::fs::read_dir(folder.path()).unwrap() {
            found.push((format.clone(), file.unwrap().file_name().into_string().unwrap()));
        }
    }
    found.sort();
    let listed: Vec<_> = OWN.iter().map(|(format, name)| ((*format).to_owned(), (*name).to_owned())).collect();
    assert_eq!(found, listed);
}
