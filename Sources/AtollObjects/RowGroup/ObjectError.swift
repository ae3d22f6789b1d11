public import AtollStorage

/// What a caller of the object layer has to be ready to handle.
public enum ObjectError: Error, Equatable, Sendable {
  // The request cannot be served; the transaction is as it was before the call.

  case noSuchClass(String, nearest: String?)
  case noSuchProperty(String, className: String, nearest: String?)
  case noSuchObject(className: String)
  /// The value is not of the property's type.
  case typeMismatch(className: String, property: String, expected: String, found: String)
  /// An aggregate was asked of a property whose values have none.
  case notAggregatable(className: String, property: String, type: String)
  case nullInRequiredProperty(className: String, property: String)
  /// A list has no element, or no place for one, at this index.
  case indexOutOfRange(className: String, property: String, index: Int, count: Int)
  case valueTooLarge(className: String, property: String, byteCount: Int, limit: Int)
  case duplicatePrimaryKey(className: String, value: String)
  case missingPrimaryKey(className: String, property: String)
  /// There is an object with the key that was given for a new one.
  case duplicateKey(className: String, key: ObjectKey)
  /// No new object of the class can have this key: it is 0 or above 2^62, is not the primary key,
  /// or is kept for an object that may come back.
  case invalidKey(className: String, key: ObjectKey)
  case primaryKeyIsFixed(className: String, property: String)
  /// A link leads to an object that does not exist.
  case danglingLink(className: String, property: String)
  /// An embedded object has exactly one owner, the property that it was made in.
  case embeddedObjectHasOwner(className: String)
  case invalidSchema(SchemaProblem)
  /// An object was deleted to which another one links by a property with the rule `.deny`; both
  /// objects as their classes name them.
  case deletionDenied(
    className: String, object: String, by: String, property: String, source: String)
  /// Two objects have the same values in the properties of a unique index; each object as its class
  /// names it, by its primary key if it has one.
  case notUnique(
    className: String, properties: [String], values: String, first: String, second: String)

  // The transaction cannot be committed, and nothing of it is kept.

  /// What a transaction changed in synced classes is more than a server takes at once; in bytes, as
  /// it would be sent.
  case transactionTooLarge(byteCount: Int, limit: Int)
  /// Changes of the class go to a server, and the database was opened without what records them.
  case notRecorded(className: String)

  // The file is damaged, or the operating system said no: when a change was under way, its
  // transaction can only be cancelled, and its commit throws the same.

  case storage(StorageError)

  /// Why a change of the schema is refused.
  public enum SchemaProblem: Equatable, Sendable {
    case classExists(String)
    case propertyExists(String, className: String)
    case tooManyProperties(className: String, limit: Int)
    case emptyName
    case nameTooLong(String, limit: Int)
    case unknownLinkTarget(String, className: String, property: String)
    case missingLinkTarget(className: String, property: String)
    /// The primary key of a class names none of its properties.
    case unknownPrimaryKey(String, className: String, nearest: String?)
    case notAPrimaryKey(String, className: String, type: String)
    case notIndexable(String, className: String, type: String)
    case notFullTextIndexable(String, className: String, type: String)
    case embeddedWithPrimaryKey(String)
    case duplicateProperty(String, className: String)
    /// An index lists too few or too many properties.
    case wrongIndexSize(properties: [String], className: String)
    /// An index names none of the properties.
    case unknownIndexProperty(String, className: String, nearest: String?)
    /// A rule of deletion is for links, and one that denies not for embedded objects.
    case wrongDeletionRule(String, className: String)
    case repeatedIndex(properties: [String], className: String)
    case tooManyIndexes(className: String, limit: Int)
    /// Objects of embedded and asymmetric classes are not found by indexes of several properties.
    case indexOfEmbedded(className: String)
    /// Two devices may each be right, and know of each other only later.
    case uniqueInSynced(properties: [String], className: String)
    case notEmpty(className: String, property: String)
    /// A server knows an object by its primary key.
    case syncedWithoutPrimaryKey(String)
    /// The name of a synced class, or of one of its properties, is that of another but for its bytes.
    case equivalentSyncedName(className: String, property: String?)
    /// Objects of an asymmetric class go to a server, and to nothing else.
    case asymmetricWithoutSync(String)
    /// Objects of an asymmetric class are not kept, so nothing can link to one.
    case linkToAsymmetric(String, className: String, property: String)
    /// Properties of synced classes, and of what they own, are the server's too.
    case fixedBySync(className: String)
    case removedPrimaryKey(String, className: String)
    /// A class is removed only when no property links to it.
    case stillLinked(className: String, from: String, property: String)
    /// An object of a class that becomes embedded has no owner, or several.
    case notOwnedOnce(className: String, key: ObjectKey, ownerCount: Int)
  }

  /// An error of a column in the words of this layer.
  ///
  /// The place of damage is known by the row group that the column is in; an error without one is
  /// of bytes that were in no page yet.
  init(_ error: ColumnError, className: String = "", property: String = "") {
    switch error {
    case .typeMismatch(let layout):
      self = .typeMismatch(
        className: className, property: property, expected: layout.description, found: "another")
    case .nullInRequiredColumn:
      self = .nullInRequiredProperty(className: className, property: property)
    case .valueTooLarge(let byteCount):
      self = .valueTooLarge(
        className: className, property: property, byteCount: byteCount,
        limit: BlobStore.byteCountLimit)
    case .damaged(let error):
      self = .storage(error)
    case .corrupted:
      self = .storage(.malformedEntries)
    }
  }

  /// What is wrong with the file or the system; nil for a request that cannot be served.
  var storageError: StorageError? {
    if case .storage(let error) = self { error } else { nil }
  }

  /// Any error that a column, a value or the store threw.
  ///
  /// `block`: of the page that values were decoded from, when they were not in a row group, which
  /// knows its own; 0 for bytes that were in no page.
  package init(
    any error: any Error, block: UInt64 = 0, className: String = "", property: String = ""
  ) {
    switch error {
    case let error as ObjectError: self = error
    case let error as StorageError: self = .storage(error)
    case let error as ColumnError: self.init(error, className: className, property: property)
    default: self = .storage(.corrupted(block: block, .structure(.malformedEntries)))
    }
  }
}

extension StorageError {
  /// Damage of bytes that were put together from several pages, or were in none yet.
  static let malformedEntries = StorageError.corrupted(block: 0, .structure(.malformedEntries))

  /// What is wrong with the file or the system, by any error that was thrown while it was read.
  init(reading error: any Error) {
    self = ObjectError(any: error).storageError ?? .malformedEntries
  }
}

extension ColumnLayout: CustomStringConvertible {
  package var description: String {
    let element =
      isOptional && collection == .none ? "optional \(value.queryName)" : value.queryName
    return switch collection {
    case .none: element
    case .list: "list of \(element)"
    case .set: "set of \(element)"
    case .map: "map of \(element)"
    }
  }
}

extension ObjectError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .noSuchClass(let name, let nearest):
      "there is no class '\(name)'" + Self.hint(nearest)
    case .noSuchProperty(let name, let className, let nearest):
      "class '\(className)' has no property '\(name)'" + Self.hint(nearest)
    case .noSuchObject(let className):
      "the object of class '\(className)' does not exist"
    case .typeMismatch(let className, let property, let expected, let found):
      "\(className).\(property) is of type \(expected) and cannot hold a value of type \(found)"
    case .notAggregatable(let className, let property, let type):
      "\(className).\(property) is of type \(type), and the aggregate cannot be asked of it"
    case .nullInRequiredProperty(let className, let property):
      "\(className).\(property) is required and cannot be null"
    case .indexOutOfRange(let className, let property, let index, let count):
      "\(className).\(property) has \(count) elements, and index \(index) is none of theirs"
    case .valueTooLarge(let className, let property, let byteCount, let limit):
      "a value of \(byteCount) bytes is too large for \(className).\(property), "
        + "which takes \(limit) at most"
    case .duplicatePrimaryKey(let className, let value):
      "there is an object of class '\(className)' with the primary key \(value) already"
    case .missingPrimaryKey(let className, let property):
      "an object of class '\(className)' needs a value for its primary key '\(property)'"
    case .duplicateKey(let className, let key):
      "there is an object of class '\(className)' with the key \(key.rawValue) already"
    case .invalidKey(let className, let key):
      "an object of class '\(className)' cannot have the key \(key.rawValue)"
    case .primaryKeyIsFixed(let className, let property):
      "the primary key \(className).\(property) cannot be changed"
    case .danglingLink(let className, let property):
      "\(className).\(property) cannot link to an object that does not exist"
    case .embeddedObjectHasOwner(let className):
      "an object of the embedded class '\(className)' belongs to the property it was made in"
    case .invalidSchema(let problem): problem.description
    case .deletionDenied(let className, let object, let by, let property, let source):
      "object \(object) of class '\(className)' cannot be deleted, as \(by).\(property) of object "
        + "\(source) links to it; delete that one too, or let it link to another before"
    case .notUnique(let className, let properties, let values, let first, let second):
      "objects \(first) and \(second) of class '\(className)' both have \(values) in "
        + "\(properties.joined(separator: ", ")), of which a unique index is kept"
    case .transactionTooLarge(let byteCount, let limit):
      "the transaction changes \(byteCount) bytes of synced objects, and a server takes at most "
        + "\(limit) at once; divide it into several transactions"
    case .notRecorded(let className):
      "changes of class '\(className)' go to a server, and this database was opened without "
        + "recording them; change it with Atoll or with the command atoll"
    case .storage(let error): error.description
    }
  }

  private static func hint(_ nearest: String?) -> String {
    nearest.map { "; did you mean '\($0)'?" } ?? ""
  }
}

extension ObjectError.SchemaProblem {
  /// The class that it is about; nil when a name itself is invalid.
  package var className: String? {
    switch self {
    case .emptyName, .nameTooLong: nil
    case .classExists(let name), .embeddedWithPrimaryKey(let name),
      .syncedWithoutPrimaryKey(let name), .asymmetricWithoutSync(let name),
      .propertyExists(_, let name), .tooManyProperties(let name, _),
      .unknownLinkTarget(_, let name, _), .missingLinkTarget(let name, _),
      .unknownPrimaryKey(_, let name, _), .notAPrimaryKey(_, let name, _),
      .notIndexable(_, let name, _), .notFullTextIndexable(_, let name, _),
      .duplicateProperty(_, let name), .notEmpty(let name, _), .linkToAsymmetric(_, let name, _),
      .equivalentSyncedName(let name, _), .fixedBySync(let name), .removedPrimaryKey(_, let name),
      .stillLinked(let name, _, _), .notOwnedOnce(let name, _, _), .wrongIndexSize(_, let name),
      .unknownIndexProperty(_, let name, _), .wrongDeletionRule(_, let name),
      .repeatedIndex(_, let name), .tooManyIndexes(let name, _), .indexOfEmbedded(let name),
      .uniqueInSynced(_, let name):
      name
    }
  }

  /// The property that it is about; nil when it is about a whole class.
  package var property: String? {
    switch self {
    case .emptyName, .nameTooLong, .classExists, .embeddedWithPrimaryKey, .syncedWithoutPrimaryKey,
      .asymmetricWithoutSync, .tooManyProperties, .unknownPrimaryKey, .fixedBySync, .stillLinked,
      .notOwnedOnce, .wrongIndexSize, .unknownIndexProperty, .repeatedIndex, .tooManyIndexes,
      .indexOfEmbedded, .uniqueInSynced:
      nil
    case .equivalentSyncedName(_, let name): name
    case .wrongDeletionRule(let name, _): name
    case .propertyExists(let name, _), .unknownLinkTarget(_, _, let name),
      .missingLinkTarget(_, let name), .notAPrimaryKey(let name, _, _),
      .notIndexable(let name, _, _), .notFullTextIndexable(let name, _, _),
      .duplicateProperty(let name, _), .notEmpty(_, let name), .linkToAsymmetric(_, _, let name),
      .removedPrimaryKey(let name, _):
      name
    }
  }
}

extension ObjectError.SchemaProblem: CustomStringConvertible {
  public var description: String {
    switch self {
    case .classExists(let name): "there is a class '\(name)' already"
    case .propertyExists(let name, let className):
      "class '\(className)' has a property '\(name)' already"
    case .tooManyProperties(let className, let limit):
      "class '\(className)' would have had more than \(limit) properties, the removed ones included"
    case .emptyName: "a class or property needs a name"
    case .nameTooLong(let name, let limit):
      "the name '\(name.prefix(20))…' is longer than \(limit) bytes"
    case .unknownLinkTarget(let target, let className, let property):
      "\(className).\(property) links to the class '\(target)', which does not exist"
    case .missingLinkTarget(let className, let property):
      "the link \(className).\(property) names no class to link to"
    case .unknownPrimaryKey(let property, let className, let nearest):
      "class '\(className)' has no property '\(property)' for its primary key"
        + (nearest.map { "; did you mean '\($0)'?" } ?? "")
    case .notAPrimaryKey(let property, let className, let type):
      "\(className).\(property) of type \(type) cannot be a primary key; "
        + "use int, string, objectId or uuid"
    case .notIndexable(let property, let className, let type):
      "\(className).\(property) of type \(type) cannot have an index"
    case .notFullTextIndexable(let property, let className, let type):
      "\(className).\(property) of type \(type) cannot have a full-text index; "
        + "only a single string can"
    case .embeddedWithPrimaryKey(let className):
      "the embedded class '\(className)' cannot have a primary key"
    case .duplicateProperty(let property, let className):
      "class '\(className)' names the property '\(property)' twice"
    case .wrongIndexSize(let properties, let className):
      "an index of class '\(className)' lists \(properties.count) properties; it takes up to "
        + "\(IndexSchema.propertyLimit), and at least 2, or 1 if it is unique"
    case .wrongDeletionRule(let property, let className):
      "\(className).\(property) cannot have this rule of deletion: rules are for links to objects, in "
        + "classes that are not asymmetric, and embedded objects are always deleted with their owner"
    case .unknownIndexProperty(let property, let className, let nearest):
      "class '\(className)' has no property '\(property)' for an index"
        + (nearest.map { "; did you mean '\($0)'?" } ?? "")
    case .repeatedIndex(let properties, let className):
      "class '\(className)' has two indexes of \(properties.joined(separator: ", "))"
    case .tooManyIndexes(let className, let limit):
      "class '\(className)' would have more than \(limit) indexes of several properties"
    case .indexOfEmbedded(let className):
      "class '\(className)' is embedded or asymmetric, and so can have indexes of single properties "
        + "only"
    case .uniqueInSynced(let properties, let className):
      "class '\(className)' is synchronised, and so \(properties.joined(separator: ", ")) cannot "
        + "have a unique index: two devices may each add an object before they know of the other's; "
        + "make the value the primary key instead"
    case .notEmpty(let className, let property):
      "the required property \(className).\(property) cannot be added to a class that has objects"
    case .syncedWithoutPrimaryKey(let className):
      "the synced class '\(className)' needs a primary key"
    case .equivalentSyncedName(let className, let property?):
      "the synced class '\(className)' has two properties '\(property)' that differ only in the "
        + "Unicode form of their letters; rename one"
    case .equivalentSyncedName(let className, nil):
      "there are two classes '\(className)' that differ only in the Unicode form of their letters, "
        + "and at least one is synced; rename one"
    case .asymmetricWithoutSync(let className):
      "the asymmetric class '\(className)' must be synced, and not embedded"
    case .linkToAsymmetric(let target, let className, let property):
      "\(className).\(property) cannot link to the asymmetric class '\(target)', "
        + "whose objects are not kept"
    case .fixedBySync(let className):
      "class '\(className)' is synchronised, or belongs to objects that are: its properties are the "
        + "server's too; properties and classes can be added"
    case .removedPrimaryKey(let property, let className):
      "\(className).\(property) is the primary key; give the class another one, or none, before it "
        + "is removed"
    case .stillLinked(let className, let origin, let property):
      "class '\(className)' cannot be removed while \(origin).\(property) links to it"
    case .notOwnedOnce(let className, let key, let ownerCount):
      "class '\(className)' cannot become embedded: object \(key.rawValue) is linked to by "
        + "\(ownerCount) properties of links, or by a mixed value; each needs exactly one property"
    }
  }
}

/// Finds the name that was probably meant.
package enum NearestName {
  /// The candidate with the fewest edits, or nil.
  ///
  /// At most a third of the letters are edited, of short names one; and at most half of the letters
  /// of the longer name, as otherwise any letter would be near to any other.
  ///
  /// Cost: the product of the two lengths, for each candidate.
  package static func find(_ name: String, among candidates: [String]) -> String? {
    let limit = max(1, name.count / 3)
    return candidates.map { ($0, distance(name.lowercased(), $0.lowercased())) }
      .filter { $1 <= limit && 2 * $1 <= max(name.count, $0.count) }.min { $0.1 < $1.1 }?.0
  }

  /// How many characters have to be put in, left out, replaced or exchanged with their neighbour.
  private static func distance(_ a: String, _ b: String) -> Int {
    let a = Array(a)
    let b = Array(b)
    var before: [Int] = []
    var row = Array(0...b.count)
    for (i, left) in a.enumerated() {
      var next = [i + 1]
      for (j, right) in b.enumerated() {
        var least = min(row[j + 1] + 1, next[j] + 1, row[j] + (left == right ? 0 : 1))
        if i > 0, j > 0, left == b[j - 1], a[i - 1] == right {
          least = min(least, before[j - 1] + 1)
        }
        next.append(least)
      }
      before = row
      row = next
    }
    return row[b.count]
  }
}
