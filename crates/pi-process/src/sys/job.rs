//! Job objects and pipes of Windows: how a command's tree is held together, ended and read.
#![expect(unsafe_code, reason = "the system's calls have no safe wrapper")]

use std::ffi::c_void;
use std::io::{self, PipeReader};
use std::mem;
use std::os::windows::io::{AsHandle, AsRawHandle, FromRawHandle, OwnedHandle};
use std::process::Child;
use std::ptr;

use windows_sys::Win32::Foundation::ERROR_BROKEN_PIPE;
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_BASIC_PROCESS_ID_LIST, JOBOBJECT_EXTENDED_LIMIT_INFORMATION,
    JobObjectBasicProcessIdList, JobObjectExtendedLimitInformation, QueryInformationJobObject,
    SetInformationJobObject, TerminateJobObject,
};
use windows_sys::Win32::System::Pipes::PeekNamedPipe;

/// Most processes of a job that are listed.
const LISTED_PROCESSES: usize = 256;

/// Exit code of what is ended here: what a shell tells of SIGKILL.
const KILLED: u32 = 137;

/// Processes that are ended together: a program with everything it starts, whatever that does. With
/// the last handle, which the kernel closes when the host is gone, they die.
pub struct Job {
    handle: OwnedHandle,
}

/// What `QueryInformationJobObject` fills: its own structure ends in a list of one.
#[repr(C)]
struct ProcessIds {
    assigned: u32,
    listed: u32,
    ids: [usize; LISTED_PROCESSES],
}

const _: () = assert!(
    mem::offset_of!(ProcessIds, ids)
        == mem::offset_of!(JOBOBJECT_BASIC_PROCESS_ID_LIST, ProcessIdList)
);

impl Job {
    /// An empty job.
    ///
    /// # Errors
    /// What the system says: no memory, or a policy against jobs.
    pub fn new() -> io::Result<Self> {
        // SAFETY: null for both asks for default security and no name.
        let handle = unsafe { CreateJobObjectW(ptr::null(), ptr::null()) };
        if handle.is_null() {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the handle was just made and is owned by no one else.
        let handle = unsafe { OwnedHandle::from_raw_handle(handle) };
        let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
        // SAFETY: the structure is that of the class, of the size that is given, and lives through
        // the call.
        let set = unsafe {
            SetInformationJobObject(
                handle.as_raw_handle(),
                JobObjectExtendedLimitInformation,
                ptr::from_ref(&limits).cast::<c_void>(),
                size_of_u32::<JOBOBJECT_EXTENDED_LIMIT_INFORMATION>(),
            )
        };
        if set == 0 { Err(io::Error::last_os_error()) } else { Ok(Self { handle }) }
    }

    /// Takes a program in. What it started before is not taken in.
    ///
    /// # Errors
    /// What the system says: the program ended, or is in a job that allows no other.
    pub fn assign(&self, child: &Child) -> io::Result<()> {
        let process = child.as_handle().as_raw_handle();
        // SAFETY: both handles are open through the call.
        let assigned = unsafe { AssignProcessToJobObject(self.handle.as_raw_handle(), process) };
        if assigned == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    /// Ends all processes of the job. One that is empty needs no end.
    pub fn terminate(&self) {
        // SAFETY: the handle is open through the call.
        unsafe { TerminateJobObject(self.handle.as_raw_handle(), KILLED) };
    }

    /// The ids of the processes that live, at most `LISTED_PROCESSES`.
    pub fn processes(&self) -> Vec<u32> {
        let mut list = ProcessIds { assigned: 0, listed: 0, ids: [0; LISTED_PROCESSES] };
        // SAFETY: the structure begins as that of the class does, has the size that is given, and
        // lives through the call. A list that does not fit is filled as far as it goes.
        unsafe {
            QueryInformationJobObject(
                self.handle.as_raw_handle(),
                JobObjectBasicProcessIdList,
                ptr::from_mut(&mut list).cast::<c_void>(),
                size_of_u32::<ProcessIds>(),
                ptr::null_mut(),
            )
        };
        let listed = usize::try_from(list.listed).unwrap_or_default().min(LISTED_PROCESSES);
        list.ids.iter().take(listed).filter_map(|id| u32::try_from(*id).ok()).collect()
    }
}

fn size_of_u32<T>() -> u32 {
    u32::try_from(size_of::<T>()).unwrap_or(u32::MAX)
}

/// Bytes that lie in a pipe now; `None` where every writer is gone and nothing is left.
///
/// # Errors
/// What the system says of the pipe, other than that it is broken.
pub fn waiting_bytes(pipe: &PipeReader) -> io::Result<Option<usize>> {
    let mut available = 0_u32;
    let handle = pipe.as_handle().as_raw_handle();
    // SAFETY: the handle is open through the call; no buffer is given, and null is allowed for what
    // is not asked.
    let peeked = unsafe {
        PeekNamedPipe(
            handle,
            ptr::null_mut(),
            0,
            ptr::null_mut(),
            &raw mut available,
            ptr::null_mut(),
        )
    };
    if peeked != 0 {
        return Ok(Some(usize::try_from(available).unwrap_or(usize::MAX)));
    }
    let error = io::Error::last_os_error();
    let broken = i32::try_from(ERROR_BROKEN_PIPE).ok();
    if error.raw_os_error() == broken { Ok(None) } else { Err(error) }
}
