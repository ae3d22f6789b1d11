internal import AtollObjects
internal import Synchronization

/// Hands an object or a collection over to another thread, queue or actor; good for one use there.
///
///     let reference = ThreadSafeReference(to: dog)
///     queue.async { let dog = try! Realm().resolve(reference) }
///
/// Keeps the version of its realm until it is resolved or gone. One that is made in a write to what
/// was there before is of use at once, and whatever becomes of the write; one to what the write has
/// made is of use after the commit.
public struct ThreadSafeReference<Confined: ThreadConfined>: Sendable {
  /// What is referred to; nil for what could not be read.
  private let content: CarriedReference<Confined>?
  private let isResolved = OneUse()

  /// Makes a reference to what a realm manages.
  public init(to confined: Confined) {
    content = CarriedReference.made(
      confined,
      or: "a ThreadSafeReference is made of what a realm manages, and not of what is gone")
  }

  /// Whether it was resolved, or what it stands for is gone already.
  public var isInvalidated: Bool { isResolved.isOver || content?.isInvalidated ?? false }

  func resolved(in context: _RealmContext) -> Confined? {
    guard let content else { return nil }
    // In a realm of another file it is good for one use still.
    guard content.isOfFile(of: context) else { return nil }
    // So it is before the commit that it waits for.
    guard content.isReached(by: context) else { return nil }
    guard isResolved.begin() else {
      Misuse.trap("a ThreadSafeReference was resolved twice; make one for each use")
    }
    context.refresh()
    return content.moved(to: context)
  }
}

extension Realm {
  /// The object or collection of a reference, in this realm.
  ///
  /// - Returns: nil when it does not exist any more, or not yet, as the write that made it is open
  ///   or was cancelled; nil also in a realm of another file.
  public func resolve<Confined>(_ reference: ThreadSafeReference<Confined>) -> Confined? {
    context.checkConfinement()
    return reference.resolved(in: context)
  }
}

/// Holds an object or a collection so that every thread, queue or actor gets its own form of it.
@propertyWrapper
public final class ThreadSafe<Value: ThreadConfined>: Sendable {
  private let content: Mutex<CarriedReference<Value>?>

  /// Holds a value that a realm manages, or nil; ends the process for one unmanaged or gone.
  public init(wrappedValue: Value?) { content = Mutex(Self.carried(wrappedValue)) }

  /// What is held, as it is now in the realm of the caller; nil when it is gone.
  public var wrappedValue: Value? {
    get {
      guard let content = content.withLock({ $0 }) else { return nil }
      let context = content.context.thawed()
      // What another thread has done to it is to be seen.
      if context.autorefresh { context.refresh() }
      return content.moved(to: context)
    }
    set {
      let new = Self.carried(newValue)
      content.withLock { $0 = new }
    }
  }

  private static func carried(_ value: Value?) -> CarriedReference<Value>? {
    value.flatMap {
      CarriedReference.made($0, or: "@ThreadSafe holds what a realm manages, and not what is gone")
    }
  }
}

/// Whether something that is good for one use was used.
private final class OneUse: Sendable {
  private let isUsed = Atomic(false)

  var isOver: Bool { isUsed.load(ordering: .acquiring) }

  /// Takes note of the use; false for the second.
  func begin() -> Bool { !isUsed.exchange(true, ordering: .acquiringAndReleasing) }
}

/// An object or a collection on its way to other threads: as it is in a frozen realm, or named in a
/// realm that nothing is read from, as long as the write is open that has made it.
///
/// SAFETY: both kinds of realms may be used on any thread.
private struct CarriedReference<Confined: ThreadConfined>: @unchecked Sendable {
  private let confined: Confined
  let context: _RealmContext
  /// What becomes of the write in which it was made; nil outside of one.
  private let fate: WriteFate?
  /// The same as it was before that write, in a frozen realm; nil for what the write has made.
  private let before: Confined?

  /// Makes one of what a realm manages; anything else ends the process with the sentence.
  ///
  /// - Returns: nil for what seems to be gone after a failure of the file.
  static func made(_ confined: Confined, or sentence: String) -> CarriedReference? {
    if let made = CarriedReference(confined) { return made }
    guard let context = confined.realm?.context else { Misuse.trap(sentence) }
    context.refuse(sentence)
    return nil
  }

  /// - Returns: nil for what is unmanaged or gone.
  init?(_ confined: Confined) {
    guard let context = confined.realm?.context, !confined.isInvalidated else { return nil }
    if confined.isFrozen {
      (self.confined, self.context, fate, before) = (confined, context, nil, nil)
      return
    }
    context.checkConfinement()
    let place = context.placeOfReferences()
    guard let carried = confined._moved(to: place) else { return nil }
    (self.confined, self.context, fate) = (carried, place, context.openFate)
    before = fate == nil ? nil : confined._moved(to: context.frozen())
  }

  var isInvalidated: Bool {
    switch fate?.outcome {
    case .cancelled: before?.isInvalidated ?? true
    // What the write has made may be gone again by its end.
    case .committed: isGone
    case nil, .open: confined.isInvalidated
    }
  }

  /// Whether the newest version is without it.
  private var isGone: Bool {
    guard let newest = context.frozenNewest() else { return confined.isInvalidated }
    return confined._moved(to: newest)?.isInvalidated ?? true
  }

  /// Whether there is a version that a realm may read it in: of what a write has made, none before
  /// the write has ended; nor is there one in a write that began before.
  func isReached(by other: _RealmContext) -> Bool {
    switch fate?.outcome {
    case nil, .cancelled: true
    case .committed(let version): other.transaction == nil || other.snapshot.version >= version
    case .open: before != nil || fate === other.openFate
    }
  }

  func isOfFile(of other: _RealmContext) -> Bool { context.file === other.file }

  /// The same in another realm of the file, in no older version than it was in here.
  func moved(to other: _RealmContext) -> Confined? {
    switch fate?.outcome {
    case nil: other.catchUp(with: context.snapshot.version)
    case .committed(let version): other.catchUp(with: version)
    // The realm that writes has it.
    case .open where fate === other.openFate: break
    case .open, .cancelled:
      other.catchUp(with: context.snapshot.version)
      return before?._moved(to: other)
    }
    return confined._moved(to: other)
  }
}
