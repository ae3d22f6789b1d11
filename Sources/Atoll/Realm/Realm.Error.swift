public import Foundation
internal import AtollObjects
internal import AtollStorage

extension Realm {
  /// What opening, committing, copying or deleting a realm may throw.
  public struct Error: Swift.Error, Equatable, Sendable {
    /// The kinds of errors, with the numbers that they have in all versions.
    public enum Code: Int, Sendable {
      case fail = 1
      case fileAccess = 2
      case filePermissionDenied = 3
      case fileExists = 4
      case fileNotFound = 5
      case fileFormatUpgradeRequired = 6
      case incompatibleLockFile = 8
      case addressSpaceExhausted = 9
      case schemaMismatch = 10
      case alreadyOpen = 12
      case invalidInput = 13
      case outOfDiskSpace = 14
      case incompatibleSession = 15
      case unsupportedFileFormatVersion = 16
      case multipleSyncAgents = 17
      case subscriptionFailed = 18
      case fileOperationFailed = 19
      case invalidDatabase = 20
      case incompatibleHistories = 21
      case noSubscriptionForWrite = 22
      /// Of this library only.
      case notUnique = 1001
      /// Of this library only.
      case deletionDenied = 1002
    }

    /// The kind of the error.
    public let code: Code
    /// What happened and what to do.
    public let message: String
    /// The file in question; nil where none is known.
    public let fileURL: URL?
    /// Whether it is of the file or the system, and not of the program; so it stays in whatever
    /// layers it passes through.
    let isFailure: Bool

    /// Makes an error; instead of an empty message it has the name of the code.
    public init(_ code: Code, _ message: String = "", fileURL: URL? = nil) {
      self.init(code, message, fileURL: fileURL, isFailure: false)
    }

    init(_ code: Code, _ message: String, fileURL: URL?, isFailure: Bool) {
      self.code = code
      self.message = message.isEmpty ? "\(code)" : message
      self.fileURL = fileURL
      self.isFailure = isFailure
    }

    /// The raw value of `code`.
    public var errorCode: Int { code.rawValue }
    public var localizedDescription: String { message }

    /// The message and, if it is known, the path of the file, under Foundation's keys.
    public var userInfo: [String: Any] {
      var info: [String: Any] = [NSLocalizedDescriptionKey: message]
      if let fileURL { info[NSFilePathErrorKey] = fileURL.path }
      return info
    }

    public static func == (a: Error, b: Error) -> Bool { a.code == b.code }

    /// An error without a code of its own, as for a write to a frozen or a read-only realm.
    public static let fail = Code.fail
    /// An operation on the file failed, for a reason that has no code of its own.
    public static let fileAccess = Code.fileAccess
    /// The program may not use the file, or the file system is read-only.
    public static let filePermissionDenied = Code.filePermissionDenied
    /// There is a file already where a new one was to be made.
    public static let fileExists = Code.fileExists
    /// There is no file where one was to be opened.
    public static let fileNotFound = Code.fileNotFound
    /// Kept for sources that name it: this library does not throw it.
    public static let fileFormatUpgradeRequired = Code.fileFormatUpgradeRequired
    /// Kept for sources that name it: this library does not throw it.
    public static let incompatibleLockFile = Code.incompatibleLockFile
    /// Kept for sources that name it: this library does not throw it.
    public static let addressSpaceExhausted = Code.addressSpaceExhausted
    /// The model classes do not fit the file, or the file needs a migration.
    public static let schemaMismatch = Code.schemaMismatch
    /// The file is in use, and so cannot be deleted, or cannot be opened in another way.
    public static let alreadyOpen = Code.alreadyOpen
    /// An argument, a query or a configuration is wrong.
    public static let invalidInput = Code.invalidInput
    /// The disk is full.
    public static let outOfDiskSpace = Code.outOfDiskSpace
    /// The synced file belongs to another user or app, or holds another part of the data.
    public static let incompatibleSession = Code.incompatibleSession
    /// The file has a format that this version of the library does not read.
    public static let unsupportedFileFormatVersion = Code.unsupportedFileFormatVersion
    /// Kept for sources that name it: this library does not throw it.
    public static let multipleSyncAgents = Code.multipleSyncAgents
    /// The server cannot answer the subscriptions, or they cannot be changed so.
    public static let subscriptionFailed = Code.subscriptionFailed
    /// Kept for sources that name it: this library does not throw it.
    public static let fileOperationFailed = Code.fileOperationFailed
    /// The file is damaged, is no database, or does not go with the encryption key.
    public static let invalidDatabase = Code.invalidDatabase
    /// A local file was opened or copied as a synced one, or a server's file opened for writing.
    public static let incompatibleHistories = Code.incompatibleHistories
    /// An object was created of a class without a subscription, or of another partition.
    public static let noSubscriptionForWrite = Code.noSubscriptionForWrite
    /// Two objects would have the same values where a class has a unique index.
    public static let notUnique = Code.notUnique
    /// An object was deleted that another links to by a property whose rule denies that.
    public static let deletionDenied = Code.deletionDenied
    /// An error that has no code.
    public static let callFailed = Code.fail
  }
}

extension Realm.Error: LocalizedError, CustomNSError, CustomStringConvertible {
  /// The domain of these errors in Foundation, `io.realm`.
  public static var errorDomain: String { "io.realm" }
  public var errorUserInfo: [String: Any] { userInfo }
  public var errorDescription: String? { message }
  public var description: String { message }
}

/// Lets `catch Realm.Error.fileNotFound` catch errors of this code.
public func ~= (code: Realm.Error.Code, error: any Swift.Error) -> Bool {
  (error as? Realm.Error)?.code == code
}

extension Realm.Error {
  /// What the layers below threw, with the code that applications look for.
  init(_ error: any Swift.Error, fileURL: URL? = nil) {
    self.init(
      Self.code(of: error), "\(error)", fileURL: fileURL, isFailure: Self.isFailure(error))
  }

  /// What the layers below threw, with what could not be done, as the beginning of its sentence.
  init(_ error: any Swift.Error, doing: String, fileURL: URL?) {
    let known = error as? Realm.Error
    self.init(
      known?.code ?? Self.code(of: error), "\(doing): \(error)",
      fileURL: known?.fileURL ?? fileURL, isFailure: Self.isFailure(error))
  }

  /// Whether an error is of the file or the system, and not of the program.
  static func isFailure(_ error: any Swift.Error) -> Bool {
    switch error {
    case let error as Realm.Error: error.isFailure
    case ObjectError.storage(let error): isFailure(error)
    case let error as StorageError: isFailure(error)
    default: false
    }
  }

  private static func isFailure(_ error: StorageError) -> Bool {
    switch error {
    case .valueTooLarge, .readOnly, .insideWrite, .transactionEnded: false
    default: true
    }
  }

  private static func code(of error: any Swift.Error) -> Code {
    if let error = error as? StorageError { return code(of: error) }
    guard let error = error as? ObjectError else { return .fail }
    switch error {
    case .storage(let error): return code(of: error)
    case .invalidSchema: return .schemaMismatch
    case .notUnique: return .notUnique
    case .deletionDenied: return .deletionDenied
    default: return .invalidInput
    }
  }

  private static func code(of error: StorageError) -> Code {
    switch error {
    case .io(_, _, let number):
      switch ErrorNumber(rawValue: number) {
      case .notFound: return .fileNotFound
      case .permissionDenied, .readOnlyFileSystem: return .filePermissionDenied
      case .alreadyExists: return .fileExists
      case .noSpace: return .outOfDiskSpace
      default: return .fileAccess
      }
    case .inUse: return .alreadyOpen
    case .encryption, .corrupted, .notADatabase, .empty: return .invalidDatabase
    case .unsupportedFormat: return .unsupportedFileFormatVersion
    default: return .fail
    }
  }
}
