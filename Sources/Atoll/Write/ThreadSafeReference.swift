internal import AtollObjects
internal import Synchronization

/// Hands an object or a collection over to another thread, queue or actor; good for one use there.
///
///     let reference = ThreadSafeReference(to: dog)
///     queue.async { let dog = try! Realm().resolve(reference) }
///
/// Keeps the version of its realm until it is resolved or gone.
public struct ThreadSafeReference<Confined: ThreadConfined>: Sendable {
  // SAFETY: frozen things may be used on any thread.
  private final class Content: @unchecked Sendable {
    let frozen: Confined
    let file: SharedFile
    private let isResolved = Mutex(false)

    init(_ frozen: Confined, _ file: SharedFile) {
      self.frozen = frozen
      self.file = file
    }

    /// Takes note of the one use; false for the second.
    func use() -> Bool {
      isResolved.withLock { isResolved in
        defer { isResolved = true }
        return !isResolved
      }
    }
  }

  private let content: Content

  /// Makes a reference to what a realm manages.
  public init(to confined: Confined) {
    guard let realm = confined.realm, !confined.isInvalidated else {
      Misuse.trap("a ThreadSafeReference is made of what a realm manages, and not of what is gone")
    }
    content = Content(confined.isFrozen ? confined : confined.freeze(), realm.context.file)
  }

  /// Whether what it stands for is gone already.
  public var isInvalidated: Bool { content.frozen.isInvalidated }

  func resolved(in context: _RealmContext) -> Confined? {
    guard content.use() else {
      Misuse.trap("a ThreadSafeReference was resolved twice; make one for each use")
    }
    guard context.file === content.file else {
      Misuse.trap("a ThreadSafeReference was resolved in a realm of another file")
    }
    if context.transaction == nil { context.refresh() }
    return content.frozen._moved(to: context)
  }
}

extension Realm {
  /// The object or collection of a reference, in this realm; nil when it does not exist any more.
  public func resolve<Confined>(_ reference: ThreadSafeReference<Confined>) -> Confined? {
    reference.resolved(in: context)
  }
}

/// Holds an object or a collection so that every thread, queue or actor gets its own form of it.
///
/// SAFETY: what is held is frozen, and guarded by a lock.
@propertyWrapper
public final class ThreadSafe<Value: ThreadConfined>: @unchecked Sendable {
  private let frozen: Mutex<Carried<Value>?>

  public init(wrappedValue: Value?) { frozen = Mutex(Self.carried(wrappedValue)) }

  /// What is held, as it is now in the realm of the caller; nil when it is gone.
  public var wrappedValue: Value? {
    get { frozen.withLock { $0 }?.value.thaw() }
    set {
      let new = Self.carried(newValue)
      frozen.withLock { $0 = new }
    }
  }

  private static func carried(_ value: Value?) -> Carried<Value>? {
    guard let value else { return nil }
    guard value.realm != nil else { Misuse.trap("@ThreadSafe holds what a realm manages") }
    return Carried(value: value.isFrozen ? value : value.freeze())
  }
}
