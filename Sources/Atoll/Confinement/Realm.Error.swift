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
    }

    public let code: Code
    /// What happened and what to do.
    public let message: String
    public let fileURL: URL?
    /// Whether it is of the file or the system, and not of the program; so it stays in whatever
    /// layers it passes through.
    let isFailure: Bool

    public init(_ code: Code, _ message: String = "", fileURL: URL? = nil) {
      self.init(code, message, fileURL: fileURL, isFailure: false)
    }

    init(_ code: Code, _ message: String, fileURL: URL?, isFailure: Bool) {
      self.code = code
      self.message = message.isEmpty ? "\(code)" : message
      self.fileURL = fileURL
      self.isFailure = isFailure
    }

    public var errorCode: Int { code.rawValue }
    public var localizedDescription: String { message }

    public var userInfo: [String: Any] {
      var info: [String: Any] = [NSLocalizedDescriptionKey: message]
      if let fileURL { info[NSFilePathErrorKey] = fileURL.path }
      return info
    }

    public static func == (a: Error, b: Error) -> Bool { a.code == b.code }

    public static let fail = Code.fail
    public static let fileAccess = Code.fileAccess
    public static let filePermissionDenied = Code.filePermissionDenied
    public static let fileExists = Code.fileExists
    public static let fileNotFound = Code.fileNotFound
    public static let fileFormatUpgradeRequired = Code.fileFormatUpgradeRequired
    public static let incompatibleLockFile = Code.incompatibleLockFile
    public static let addressSpaceExhausted = Code.addressSpaceExhausted
    public static let schemaMismatch = Code.schemaMismatch
    public static let alreadyOpen = Code.alreadyOpen
    public static let invalidInput = Code.invalidInput
    public static let outOfDiskSpace = Code.outOfDiskSpace
    public static let incompatibleSession = Code.incompatibleSession
    public static let unsupportedFileFormatVersion = Code.unsupportedFileFormatVersion
    public static let multipleSyncAgents = Code.multipleSyncAgents
    public static let subscriptionFailed = Code.subscriptionFailed
    public static let fileOperationFailed = Code.fileOperationFailed
    public static let invalidDatabase = Code.invalidDatabase
    public static let incompatibleHistories = Code.incompatibleHistories
    public static let noSubscriptionForWrite = Code.noSubscriptionForWrite
    /// An error that has no code.
    public static let callFailed = Code.fail
  }
}

extension Realm.Error: LocalizedError, CustomNSError, CustomStringConvertible {
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
    case .encryption, .corrupted, .notADatabase: return .invalidDatabase
    default: return .fail
    }
  }
}
