use super::*;

fn pages(bytes: u64, free_bytes: u64) -> Pages {
    Pages { bytes, free_bytes }
}

#[test]
fn the_plan_names_the_gain_the_room_and_the_time() {
    let mega = 1_000_000;
    let path = Path::new("/data/pbmserv.sqlite");
    assert_eq!(
        plan(path, pages(2400 * mega, 1300 * mega), 5000 * mega),
        "/data/pbmserv.sqlite has 2.4 GB, of which 1.3 GB are not in use.\n\
         A new file of at most 1.1 GB is written beside it and then replaces it; the disk has 5.0 GB free.\n\
         This takes between 10 seconds and 74 seconds, depending on the disk. The server must not be started meanwhile.\n"
    );
    assert!(plan(path, pages(2 * mega, mega), mega / 2).contains("which is too little: make room first"));
}

/// A data folder whose database has had this many MB of notes, all but the first of them emptied.
fn folder_with(notes: u32) -> (tempfile::TempDir, Config) {
    let folder = tempfile::tempdir().unwrap();
    let mut config = Config::default();
    config.server.data = folder.path().join("data");
    let place = Folder::open(&config.server.data).unwrap();
    let store = Store::open(place.database()).unwrap();
    let long = "x".repeat(1_000_000);
    for (text, from) in [(long.as_str(), 1), ("", 2)] {
        store.begin().unwrap();
        for number in from..=notes {
            store.set_note(&format!("n{number}"), text).unwrap();
        }
        store.commit().unwrap();
    }
    (folder, config)
}

const SURE: Compact = Compact {
    sure: Sure {
        dry_run: false,
        yes: true,
    },
};

#[test]
fn an_old_file_gives_its_room_back_and_keeps_its_rows() {
    let (_folder, config) = folder_with(50);
    let place = existing_folder(&config).unwrap();
    let reader = Reader::open(place.database()).unwrap();
    let advised = advice(&reader).unwrap().unwrap();
    assert!(advised.contains("are not in use"), "{advised}");
    drop(reader);
    let before = fs::metadata(place.database()).unwrap().len();
    let rehearsal = Compact {
        sure: Sure {
            dry_run: true,
            yes: false,
        },
    };
    let planned = rehearsal.run(&config, Utc::now()).unwrap();
    assert!(planned.contains("are not in use"), "{planned}");
    assert_eq!(fs::metadata(place.database()).unwrap().len(), before);
    // What a run that was killed has left.
    fs::write(config.server.data.join("pbmserv.sqlite.compacted"), "half").unwrap();
    SURE.run(&config, Utc::now()).unwrap();
    let after = fs::metadata(place.database()).unwrap().len();
    assert!(after * 10 < before, "{before} to {after}");
    let store = Store::open(place.database()).unwrap();
    assert_eq!(store.note("n1").unwrap().unwrap().len(), 1_000_000);
    assert_eq!(store.faults().unwrap(), Vec::<String>::new());
    assert_eq!(advice(&store).unwrap(), None);
    assert!(!config.server.data.join("pbmserv.sqlite.compacted").exists());
    let audited = store.audited(None, 10).unwrap();
    assert_eq!(audited[0].verb, "compact");
}

#[test]
fn a_database_that_somebody_reads_is_left_alone() {
    let (_folder, config) = folder_with(1);
    let path = existing_folder(&config).unwrap().database();
    let reader = Reader::open(&path).unwrap();
    assert!(reader.note("n1").unwrap().is_some());
    let refused = SURE.run(&config, Utc::now()).unwrap_err();
    assert!(
        format!("{refused:#}").contains("close the program"),
        "{refused:#}"
    );
}

#[test]
fn a_folder_in_use_is_left_alone() {
    let (_folder, config) = folder_with(1);
    let _lock = existing_folder(&config).unwrap().lock().unwrap();
    let refused = SURE.run(&config, Utc::now()).unwrap_err();
    assert!(
        refused.to_string().contains("systemctl stop pbmserv"),
        "{refused}"
    );
}
