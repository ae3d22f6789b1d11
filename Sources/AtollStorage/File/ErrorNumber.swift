#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Android)
import Android
#else
#error("A port gives SystemCalls, ErrorNumber and ConditionVariable for its system here.")
#endif

/// Why a system call failed, as the C library numbers it.
package struct ErrorNumber: Error, Equatable, Sendable {
  package let rawValue: Int32

  package init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// The error that callers of the storage layer see.
  package func during(
    _ operation: StorageError.Operation, _ path: String
  ) -> StorageError {
    .io(operation: operation, path: path, errno: rawValue)
  }

  package static let notFound = ErrorNumber(rawValue: ENOENT)
  package static let alreadyExists = ErrorNumber(rawValue: EEXIST)
  package static let isFolder = ErrorNumber(rawValue: EISDIR)
  package static let permissionDenied = ErrorNumber(rawValue: EACCES)
  package static let readOnlyFileSystem = ErrorNumber(rawValue: EROFS)
  package static let invalidArgument = ErrorNumber(rawValue: EINVAL)
  package static let inputOutput = ErrorNumber(rawValue: EIO)
  package static let noSpace = ErrorNumber(rawValue: ENOSPC)
  static let quotaExceeded = ErrorNumber(rawValue: EDQUOT)
  package static let fileTooLarge = ErrorNumber(rawValue: EFBIG)
}

extension StorageError {
  /// Whether the disk, or the part of it that the user may have, is full; the file is as it was.
  ///
  /// Not where a synchronisation found that: what is on the disk is not known then.
  package var isFullDisk: Bool {
    guard case .io(let operation, _, let number) = self,
      operation == .write || operation == .resize
    else { return false }
    return [.noSpace, .quotaExceeded].contains(ErrorNumber(rawValue: number))
  }
}
