//! Instances in their folders: private, distinct, stale or not.

use std::os::unix::fs::PermissionsExt as _;

use super::instances::remove_if_stale;
use super::*;

fn root() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    fs::set_permissions(root.path(), fs::Permissions::from_mode(0o700)).unwrap();
    root
}

const INSTANCE: &str = "0123456789abcdef0123456789abcdef";

fn rewrite(place: &Place, change: impl FnOnce(&mut Identity)) {
    let mut identity = Identity::own(INSTANCE);
    change(&mut identity);
    write_private(&place.path().join(IDENTITY_NAME), &json(&identity)).unwrap();
}

#[test]
fn a_folder_is_private_and_goes_with_its_instance() {
    let root = root();
    let place = Place::create_in(root.path(), INSTANCE).unwrap();

    let mode = fs::metadata(place.path()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    assert!(place.free_bytes().unwrap() > 0);
    assert!(Place::create_in(root.path(), INSTANCE).is_err(), "a name is used once");
    place.close();
    assert!(!place.path().exists());
}

#[test]
fn a_root_that_others_can_enter_or_that_is_a_link_is_refused() {
    let root = root();
    let folder = root.path().join("hosts");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    assert!(Place::create_in(root.path(), INSTANCE).is_err());

    fs::remove_dir(&folder).unwrap();
    std::os::unix::fs::symlink("/tmp", &folder).unwrap();
    assert!(Place::create_in(root.path(), INSTANCE).is_err());
}

#[test]
fn only_what_is_gone_for_certain_is_stale() {
    let root = root();
    let place = Place::create_in(root.path(), INSTANCE).unwrap();
    assert!(!remove_if_stale(place.path()), "it lives");

    rewrite(&place, |identity| identity.host = "another-machine".to_owned());
    assert!(!remove_if_stale(place.path()), "another machine has to be asked");
    rewrite(&place, |identity| identity.start_time += 1);
    assert!(!remove_if_stale(place.path()), "it is locked");

    let path = place.path().to_path_buf();
    drop(place);
    assert!(remove_if_stale(&path), "its pid is another process's");
    assert!(!path.exists());
}

#[test]
fn an_instance_of_an_earlier_boot_is_stale() {
    let root = root();
    let place = Place::create_in(root.path(), INSTANCE).unwrap();
    rewrite(&place, |identity| identity.boot_id = Some("another".to_owned()));
    let path = place.path().to_path_buf();
    drop(place);

    assert!(remove_if_stale(&path));
}

#[test]
fn a_folder_of_another_kind_is_left_alone() {
    let root = root();
    for name in ["other", INSTANCE] {
        let folder = root.path().join(name);
        fs::create_dir(&folder).unwrap();
        assert!(!remove_if_stale(&folder));
        assert!(folder.exists());
    }
}
