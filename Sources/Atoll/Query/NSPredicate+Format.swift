public import Foundation
internal import Synchronization

#if !canImport(ObjectiveC)
// Foundation's class has no text form without Objective-C: its own initializers are unavailable
// there.
extension NSPredicate {
  /// Makes a predicate of a text and what `%@` and its kin, or `$0`, stand for in it.
  ///
  ///     let isHeavy = NSPredicate(format: "weight > %d AND name BEGINSWITH %@", 20, "R")
  ///     realm.objects(Dog.self).filter(isHeavy)
  ///
  /// The text is in the query language, of which the spellings of Foundation are part. It is read
  /// when the predicate is asked.
  public convenience init(format: String, _ args: Any...) {
    self.init(PredicateText(format, args))
  }

  /// Makes a predicate of a text and what `%@` and its kin, or `$0`, stand for in it.
  public convenience init(format: String, argumentArray: [Any]?) {
    self.init(PredicateText(format, argumentArray ?? []))
  }

  private convenience init(_ text: PredicateText) {
    self.init { _, _ in
      Misuse.trap("'\(text.text)' is asked of a collection: results.filter(predicate)")
    }
    text.register(self)
  }
}
#endif

extension NSPredicate {
  /// The text and arguments that the predicate was made with; on Apple's systems they are one text.
  var text: (text: String, arguments: [Any]) {
    if let text = PredicateText.known(self) { return (text.text, text.arguments) }
    return ((self as any FormattedPredicate).predicateFormat, [])
  }
}

/// What a predicate was made of. The predicate's block keeps it; this finds it again.
///
/// Foundation's class has no room for it, and a subclass cannot come out of an initializer.
// SAFETY of `Sendable`: the identity is set once, before anything else has the predicate; the
// arguments are used where the predicate is, which is no more `Sendable` than they.
private final class PredicateText: @unchecked Sendable {
  let text: String
  let arguments: [Any]
  private var id: ObjectIdentifier?
  /// A copy of the predicate keeps this beyond the predicate itself, whose identity another may
  /// get.
  private weak var predicate: NSPredicate?

  private struct Weak: Sendable {
    weak var text: PredicateText?
  }

  private static let all = Mutex<[ObjectIdentifier: Weak]>([:])

  init(_ text: String, _ arguments: [Any]) {
    self.text = text
    self.arguments = arguments
  }

  /// Invariant: as long as the predicate lives, so does its text, and no other has the identity.
  func register(_ predicate: NSPredicate) {
    let id = ObjectIdentifier(predicate)
    self.id = id
    self.predicate = predicate
    Self.all.withLock { $0[id] = Weak(text: self) }
  }

  deinit {
    guard let id else { return }
    Self.all.withLock { all in
      // A new predicate may have the identity already.
      if all[id]?.text == nil { all[id] = nil }
    }
  }

  static func known(_ predicate: NSPredicate) -> PredicateText? {
    guard let text = all.withLock({ $0[ObjectIdentifier(predicate)]?.text }),
      text.predicate === predicate
    else { return nil }
    return text
  }
}

/// The text of a predicate of a constant, which Foundation has also where it cannot read one.
private protocol FormattedPredicate {
  var predicateFormat: String { get }
}

extension NSPredicate: FormattedPredicate {}
