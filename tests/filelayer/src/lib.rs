//! A SQLite VFS that reports every change of a file and passes every call on to SQLite's own VFS for Unix, locks
//! and shared memory included.
//!
//! The reports are enough to compute what a disk may hold after a power cut: which bytes were written, and which
//! of them were synced before the cut.

use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::mem::size_of;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::OnceLock;

use rusqlite::ffi::{
    self, SQLITE_OK, SQLITE_OPEN_CREATE, SQLITE_OPEN_MAIN_JOURNAL, SQLITE_OPEN_SUPER_JOURNAL,
    SQLITE_OPEN_WAL, sqlite3_file, sqlite3_io_methods, sqlite3_vfs,
};

/// A successful change of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// It was created.
    Created,
    /// These bytes were written at this offset.
    Wrote(u64, Vec<u8>),
    /// It was truncated, or extended with zeros, to this length.
    Truncated(u64),
    /// It was synced. True: its directory too, which SQLite's VFS syncs at the first sync of a journal that it has
    /// created.
    Synced(bool),
    /// Its name was removed. True: and the directory was synced.
    Deleted(bool),
}

/// The receiver of the reports.
type Listener = Box<dyn Fn(&Path, Event) + Send + Sync>;

static LISTENER: OnceLock<Listener> = OnceLock::new();

/// SQLite's VFS for Unix.
struct Base(*mut sqlite3_vfs);

// SAFETY: SQLite's VFS for Unix lives as long as the process, is not changed after SQLite's start, and its
// functions may be called from any thread.
unsafe impl Send for Base {}
// SAFETY: as above.
unsafe impl Sync for Base {}

static BASE: OnceLock<Base> = OnceLock::new();

/// Makes this the default VFS of all connections opened from now on; once per process. SQLite's own stays
/// available as `unix`.
///
/// # Panics
/// SQLite refuses it, or it was already done.
pub fn install(listener: impl Fn(&Path, Event) + Send + Sync + 'static) {
    assert!(
        LISTENER.set(Box::new(listener)).is_ok(),
        "the layer stands already"
    );
    // SAFETY: a plain call; a null name asks for the default VFS.
    let base = unsafe { ffi::sqlite3_vfs_find(ptr::null()) };
    assert!(!base.is_null(), "SQLite has no file layer");
    // SAFETY: not null, and SQLite never frees a VFS.
    let own = unsafe { &*base };
    let size = c_int::try_from(size_of::<File>()).expect("a small struct");
    let layer = Box::new(sqlite3_vfs {
        szOsFile: size + own.szOsFile,
        zName: c"filelayer".as_ptr(),
        pNext: ptr::null_mut(),
        xOpen: Some(open),
        xDelete: Some(delete),
        // All other methods are those of SQLite's VFS. Of their first argument they use only the longest path,
        // which is copied with the rest.
        ..*own
    });
    assert!(BASE.set(Base(base)).is_ok(), "the layer stands already");
    // SAFETY: the VFS is leaked, so it lives as long as SQLite may use it; all its functions are set.
    let result = unsafe { ffi::sqlite3_vfs_register(Box::into_raw(layer), 1) };
    assert_eq!(result, SQLITE_OK, "SQLite does not take the layer");
}

fn base() -> *mut sqlite3_vfs {
    BASE.get().expect("installed before it is called").0
}

fn tell(path: &Path, event: Event) {
    if let Some(listener) = LISTENER.get() {
        listener(path, event);
    }
}

/// An open file as SQLite sees it: memory of SQLite's, this struct first and the file of SQLite's VFS behind it.
#[repr(C)]
struct File {
    methods: *const sqlite3_io_methods,
    /// Ours, from `Box::into_raw`, until the file is closed.
    facts: *mut Facts,
}

struct Facts {
    /// `None` for an unnamed file, which does not survive the process.
    path: Option<PathBuf>,
    /// Whether the next sync includes the directory.
    syncs_folder: bool,
}

/// A file name of SQLite's.
///
/// # Safety
/// Null, or a string that ends with a zero byte and lives as long as the path is used.
unsafe fn path<'a>(name: *const c_char) -> Option<&'a Path> {
    if name.is_null() {
        return None;
    }
    // SAFETY: the caller's promise.
    let name = unsafe { CStr::from_ptr(name) };
    Some(Path::new(OsStr::from_bytes(name.to_bytes())))
}

/// The file of SQLite's VFS behind ours.
///
/// # Safety
/// The file is one that [`open`] was given.
unsafe fn real(file: *mut sqlite3_file) -> *mut sqlite3_file {
    // SAFETY: the memory is `szOsFile` long, which is our struct and SQLite's; both sizes are multiples of the
    // alignment of a pointer.
    unsafe { file.cast::<u8>().add(size_of::<File>()).cast() }
}

/// Our state of a file.
///
/// # Safety
/// The file is open, and nothing else uses its state: SQLite uses a file in one thread at a time.
unsafe fn facts<'a>(file: *mut sqlite3_file) -> &'a mut Facts {
    // SAFETY: `open` has stored a pointer to a live state there, and only `close` frees it.
    unsafe { &mut *(*file.cast::<File>()).facts }
}

unsafe extern "C" fn open(
    _: *mut sqlite3_vfs,
    name: *const c_char,
    file: *mut sqlite3_file,
    flags: c_int,
    out_flags: *mut c_int,
) -> c_int {
    // SAFETY: SQLite's promise about the name; the path is copied below.
    let path = unsafe { path(name) };
    let is_new = path.is_some_and(|path| !path.exists());
    let ours = file.cast::<File>();
    // SAFETY: SQLite gives memory of `szOsFile` bytes; its VFS is called with its own struct, its part of the
    // memory and SQLite's arguments.
    let result = unsafe {
        (*ours).methods = ptr::null();
        let open = (*base()).xOpen.expect("every layer opens");
        open(base(), name, real(file), flags, out_flags)
    };
    if result != SQLITE_OK {
        // Without methods SQLite does not close the file; close here what its VFS has half opened.
        // SAFETY: SQLite's VFS has set the methods of its part, to null if there is nothing to close.
        unsafe {
            if !(*real(file)).pMethods.is_null() {
                forward_close(file);
            }
        }
        return result;
    }
    let journal = SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_WAL;
    let facts = Box::new(Facts {
        path: path.map(Path::to_owned),
        syncs_folder: flags & SQLITE_OPEN_CREATE != 0 && flags & journal != 0,
    });
    // SAFETY: as above; nothing else has a reference to the file yet.
    unsafe {
        (*ours).facts = Box::into_raw(facts);
        (*ours).methods = &raw const METHODS;
    }
    if let Some(path) = path.filter(|_| is_new) {
        tell(path, Event::Created);
    }
    SQLITE_OK
}

unsafe extern "C" fn delete(_: *mut sqlite3_vfs, name: *const c_char, syncs_folder: c_int) -> c_int {
    // SAFETY: SQLite's VFS is called as SQLite has called us.
    let result = unsafe { (*base()).xDelete.expect("every layer deletes")(base(), name, syncs_folder) };
    // SAFETY: SQLite's promise about the name.
    if let Some(path) = unsafe { path(name) }
        && result == SQLITE_OK
    {
        tell(path, Event::Deleted(syncs_folder != 0));
    }
    result
}

/// Calls a method of the file of SQLite's VFS.
macro_rules! forward {
    ($file:expr, $method:ident $(, $argument:expr)*) => {{
        let real = real($file);
        (*(*real).pMethods).$method.expect("the layer for Unix has every method")(real $(, $argument)*)
    }};
}

/// # Safety
/// As [`real`].
unsafe fn forward_close(file: *mut sqlite3_file) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { forward!(file, xClose) }
}

/// Reports a successful change of a named file.
///
/// # Safety
/// As [`facts`].
unsafe fn report(file: *mut sqlite3_file, result: c_int, event: impl FnOnce(&mut Facts) -> Event) -> c_int {
    // SAFETY: the caller's promise.
    let facts = unsafe { facts(file) };
    if result == SQLITE_OK && facts.path.is_some() {
        let event = event(facts);
        if let Some(path) = &facts.path {
            tell(path, event);
        }
    }
    result
}

unsafe extern "C" fn close(file: *mut sqlite3_file) -> c_int {
    // SAFETY: SQLite closes an opened file once; the state is ours.
    unsafe {
        let result = forward_close(file);
        drop(Box::from_raw((*file.cast::<File>()).facts));
        (*file.cast::<File>()).facts = ptr::null_mut();
        result
    }
}

unsafe extern "C" fn write(file: *mut sqlite3_file, from: *const c_void, length: c_int, at: i64) -> c_int {
    // SAFETY: an open file; SQLite promises `length` bytes at `from`.
    unsafe {
        let result = forward!(file, xWrite, from, length, at);
        report(file, result, |_| {
            let length = usize::try_from(length).expect("a length");
            let bytes = std::slice::from_raw_parts(from.cast::<u8>(), length);
            Event::Wrote(u64::try_from(at).expect("a place"), bytes.to_vec())
        })
    }
}

unsafe extern "C" fn truncate(file: *mut sqlite3_file, length: i64) -> c_int {
    // SAFETY: an open file.
    unsafe {
        let result = forward!(file, xTruncate, length);
        report(file, result, |_| {
            Event::Truncated(u64::try_from(length).expect("a length"))
        })
    }
}

unsafe extern "C" fn sync(file: *mut sqlite3_file, flags: c_int) -> c_int {
    // SAFETY: an open file.
    unsafe {
        let result = forward!(file, xSync, flags);
        report(file, result, |facts| {
            Event::Synced(std::mem::take(&mut facts.syncs_folder))
        })
    }
}

/// Methods that are passed on unchanged.
macro_rules! passed_on {
    ($($name:ident $method:ident ($($argument:ident: $type:ty),*) -> $result:ty;)*) => {
        $(unsafe extern "C" fn $name(file: *mut sqlite3_file $(, $argument: $type)*) -> $result {
            // SAFETY: an open file, and the arguments are SQLite's.
            unsafe { forward!(file, $method $(, $argument)*) }
        })*
    };
}

passed_on! {
    read xRead(to: *mut c_void, length: c_int, at: i64) -> c_int;
    file_size xFileSize(size: *mut i64) -> c_int;
    lock xLock(level: c_int) -> c_int;
    unlock xUnlock(level: c_int) -> c_int;
    check_reserved_lock xCheckReservedLock(out: *mut c_int) -> c_int;
    file_control xFileControl(what: c_int, argument: *mut c_void) -> c_int;
    sector_size xSectorSize() -> c_int;
    device_characteristics xDeviceCharacteristics() -> c_int;
    shm_map xShmMap(page: c_int, size: c_int, extends: c_int, out: *mut *mut c_void) -> c_int;
    shm_lock xShmLock(from: c_int, count: c_int, flags: c_int) -> c_int;
    shm_barrier xShmBarrier() -> ();
    shm_unmap xShmUnmap(deletes: c_int) -> c_int;
    fetch xFetch(at: i64, length: c_int, out: *mut *mut c_void) -> c_int;
    unfetch xUnfetch(at: i64, page: *mut c_void) -> c_int;
}

static METHODS: sqlite3_io_methods = sqlite3_io_methods {
    iVersion: 3,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved_lock),
    xFileControl: Some(file_control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(device_characteristics),
    xShmMap: Some(shm_map),
    xShmLock: Some(shm_lock),
    xShmBarrier: Some(shm_barrier),
    xShmUnmap: Some(shm_unmap),
    xFetch: Some(fetch),
    xUnfetch: Some(unfetch),
};
