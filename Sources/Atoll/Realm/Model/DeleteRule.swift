internal import AtollObjects

/// What the deletion of an object means for the other end of a link, where a class says more than
/// Realm does.
///
/// A class declares rules in `deleteRules()`, for properties that hold an object, or a list, a set or
/// a map of objects.
///
///     class Person: Object {
///       @Persisted var dogs: List<Dog>
///       @Persisted var bank: Bank?
///
///       override class func deleteRules() -> [DeleteRule] {
///         [.cascade(\Person.dogs), .deny(\Person.bank)]
///       }
///     }
///
/// A property without a rule loses its link when the object that it leads to is deleted.
public struct DeleteRule {
  /// The rules that there are.
  public enum Kind: Hashable, Sendable {
    /// A link is lost with the object that it leads to; the rule of a property that has no other.
    case nullify
    /// With an object the objects of the property are deleted, whatever else links to them.
    case cascade
    /// An object of the property is not deleted as long as this one links to it.
    case deny
  }

  /// The rule.
  public let kind: Kind
  /// Gives the name in Swift.
  ///
  /// A key path is read later: it needs an instance of the class, whose discovery this may be a part
  /// of.
  private let property: () -> String

  /// The name of the property in Swift.
  public var propertyName: String { property() }

  /// With an object, those that its property holds are deleted, whatever else links to them; and so
  /// on with their rules.
  public static func cascade<Root: ObjectBase>(_ property: PartialKeyPath<Root>) -> DeleteRule {
    DeleteRule(kind: .cascade) { KeyPathNames.name(of: property) }
  }

  /// As for a key path.
  public static func cascade(_ property: String) -> DeleteRule {
    DeleteRule(kind: .cascade) { property }
  }

  /// An object that the property holds is not deleted as long as the object with the property is
  /// there: the write throws `Realm.Error.deletionDenied` at its end, and nothing of it remains.
  ///
  /// Both may be deleted in one write, in any order.
  public static func deny<Root: ObjectBase>(_ property: PartialKeyPath<Root>) -> DeleteRule {
    DeleteRule(kind: .deny) { KeyPathNames.name(of: property) }
  }

  /// As for a key path.
  public static func deny(_ property: String) -> DeleteRule {
    DeleteRule(kind: .deny) { property }
  }

  private init(kind: Kind, _ property: @escaping () -> String) {
    self.kind = kind
    self.property = property
  }
}

extension DeleteRule: CustomStringConvertible {
  public var description: String { "\(kind) \(propertyName)" }
}

extension DeleteRule.Kind {
  init(_ rule: DeletionRule) {
    self =
      switch rule {
      case .nullify: .nullify
      case .cascade: .cascade
      case .deny: .deny
      }
  }

  var stored: DeletionRule {
    switch self {
    case .nullify: .nullify
    case .cascade: .cascade
    case .deny: .deny
    }
  }
}
