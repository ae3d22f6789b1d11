public import AtollStorage

/// What `Database.salvage` copied of a damaged file, and what was lost.
public struct SalvageReport: Sendable {
  /// One class: how many of its objects the file says it has, and how many were copied.
  public struct CopiedClass: Equatable, Sendable {
    /// The name of the class.
    public var name: String
    /// How many objects the file says the class has, but no fewer than were copied.
    public var objectCount: Int
    /// How many objects were copied.
    public var copiedCount: Int
  }

  /// Something that could not be copied.
  public struct Loss: Equatable, Sendable {
    /// The kinds of things that can be lost.
    public enum Kind: Equatable, Sendable {
      /// Objects: those of the class with keys in the range.
      case objects
      /// Values of the property, in the objects with keys in the range; they are null, or what a
      /// new object has.
      case values
      /// Links of the property to objects that were lost.
      case links
      /// Links that waited for objects by their primary keys.
      case waitingLinks
      /// Entries of an internal tree, whose name stands in the place of the class.
      case entries
      /// A unique index, as objects without their values are equal.
      case uniqueIndex
      /// A newer version than the one that was copied.
      case newerVersion
    }

    /// What was lost.
    public var kind: Kind
    /// Empty where no single class is concerned.
    public var className = ""
    /// Empty where no single property is concerned; of an index those that it is of.
    public var property = ""
    /// The keys of the objects concerned: all of the class when nil.
    public var keys: ClosedRange<ObjectKey>?
    /// How many objects, values or links; nil when the damage hides it.
    public var count: Int?
    /// Why; nil where another loss is the reason.
    public var cause: StorageError?
    /// Whether the keys are primary keys, which are then shown as those.
    var hasPrimaryKeys = false

    /// The lowest and the highest key, as people know them.
    package var keyTexts: (first: String, last: String)? {
      func text(_ key: ObjectKey) -> String {
        hasPrimaryKeys ? "\(key.integerPrimaryKey)" : "\(key.rawValue)"
      }
      return keys.map { (text($0.lowerBound), text($0.upperBound)) }
    }
  }

  /// The version that was copied.
  public internal(set) var version: UInt64 = 0
  /// The classes that are not hidden, in the order in which they were added to the file.
  public internal(set) var classes: [CopiedClass] = []
  /// What could not be copied; empty when the copy has everything.
  public internal(set) var losses: [Loss] = []

  /// Whether the copy has everything.
  public var isComplete: Bool { losses.isEmpty }
}

extension SalvageReport.Loss: CustomStringConvertible {
  public var description: String {
    let what =
      switch kind {
      case .objects: "objects of \(className)"
      case .values: "values of \(className).\(property)"
      case .links: "links of \(className).\(property) to objects that are lost"
      case .waitingLinks: "links that wait for objects"
      case .entries: "entries of the internal tree \(className)"
      case .uniqueIndex:
        "the unique index of \(className) (\(property)), as there are objects with the same values now"
      case .newerVersion: "what a newer version changed, if there was one"
      }
    var text = count.map { "\($0) \(what)" } ?? what
    if let (first, last) = keyTexts {
      let name = hasPrimaryKeys ? "primary key" : "key"
      switch (keys?.lowerBound.rawValue, keys?.upperBound.rawValue) {
      case _ where first == last: text += ", \(name) \(first)"
      case (0, _): text += ", \(name)s up to \(last)"
      case (_, .max): text += ", \(name)s from \(first)"
      default: text += ", \(name)s \(first) to \(last)"
      }
    }
    return cause.map { "\(text): \($0)" } ?? text
  }
}
