/// The database's file, as the rest of the storage layer sees it.
///
/// Reads of committed pages go through `window(_:)`, which lends the file's bytes where they lie;
/// everything else is a call with an offset in bytes. One thread writes and resizes at a time
/// (the holder of the writer lock); reads and windows are free for all threads.
///
/// After a failed `synchronize` the system may have dropped what it could not write, so nothing
/// written later can be trusted: from then on `write`, `setByteCount` and `synchronize` throw
/// `.closed` with the error number of the failure. After `close` every call throws `.closed`.
package protocol DataFile: AnyObject, Sendable {
  /// The path the file was opened with, for messages.
  var path: String { get }

  /// Whether `write`, `setByteCount` and `synchronize` throw `.readOnly`.
  var isReadOnly: Bool { get }

  /// The file's length in bytes, as all processes see it now.
  func byteCount() throws(StorageError) -> UInt64

  /// Grows the file with allocated zero bytes, or cuts its end off.
  ///
  /// The space is reserved where the file system can, so that a later `write` inside of the
  /// length does not run out of disk. When it fails (`ENOSPC` for a full disk) the file has its
  /// old length. Bytes that windows lend must never be cut off while they are read.
  func setByteCount(_ byteCount: UInt64) throws(StorageError)

  /// Fills `buffer` from `offset`, and returns the count of bytes read.
  ///
  /// The count is smaller than the buffer only where the file ends.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(StorageError)
    -> Int

  /// Writes all of `bytes` at `offset`, which makes the file longer where it reaches past its end.
  ///
  /// When it throws, any part of the bytes may have been written.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StorageError)

  /// Returns when what was written before is on the disk.
  func synchronize(_ scope: SynchronizationScope) throws(StorageError)

  /// The address of the file's byte `index * FileWindow.stride`.
  ///
  /// From there `FileWindow.stride + FileWindow.overlap` bytes are mapped, for reading only, and
  /// stay so until `close`. The window may reach beyond the end of the file, where touching it
  /// is fatal: the caller compares with the committed length first. Bytes that are written
  /// inside of the file's length, then or later, show through the window.
  ///
  /// Costs a few nanoseconds once the window exists.
  func window(_ index: Int) throws(StorageError) -> UnsafeRawPointer

  /// Throws `.moved` when the path does not lead to this file any more.
  ///
  /// Others who open the path then do not see what is written here, nor the locks of this file.
  func checkPlace() throws(StorageError)

  /// Unmaps the windows and gives the file back to the system; a second call does nothing.
  func close()
}

extension DataFile {
  /// Does nothing: a file without a path on a file system is not moved.
  package func checkPlace() throws(StorageError) {}
}

/// How much of what was written has to be on the disk when `synchronize` returns.
package enum SynchronizationScope: Sendable {
  /// The bytes inside of the length that was last synchronised in full.
  case data
  /// The bytes and the file's length.
  case full
}

/// The geometry of the windows through which the file is mapped.
///
/// A window begins at every multiple of `stride` and is `stride + overlap` bytes long, so a run
/// of up to `overlap` bytes lies whole in the window its first byte belongs to.
package enum FileWindow {
  /// The distance between the beginnings of two windows, in bytes.
  @inlinable package static var stride: Int { 64 << 20 }

  /// How far a window reaches into the next one, in bytes.
  @inlinable package static var overlap: Int { 2 << 20 }

  /// The length of one window, in bytes.
  @inlinable package static var byteCount: Int { stride + overlap }

  /// How many windows a file can have, which bounds its length to 4 TiB.
  @inlinable package static var limit: Int { 65_536 }
}
