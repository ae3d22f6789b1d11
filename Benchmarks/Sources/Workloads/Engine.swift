/// A database under test: what every key-value or object store can do.
///
/// An instance owns the files of one directory, which is empty when the first `open()` is called.
/// "Durable" means that the bytes are on the disk (fdatasync or stronger) when the call returns.
package protocol Engine: AnyObject {
  /// Opens the files, and creates the schema when there are none.
  func open() throws

  /// Closes the files; `open()` may follow.
  func close() throws

  /// Creates `people`, index and links included, in one durable transaction.
  ///
  /// Their keys ascend and lie beyond every key that is there.
  func insert(_ people: ArraySlice<Person>) throws

  /// Sets ages in one durable transaction; every key is there.
  func update(_ updates: ArraySlice<AgeUpdate>) throws

  /// Deletes the objects with `keys` in one durable transaction and nullifies the links to them.
  ///
  /// Keys that are not there (or no longer, as some occur twice) are passed over.
  func delete(keys: [Int]) throws

  /// Looks each key up and returns the sum of age, score and the UTF-8 length of name.
  func sumOfFields(keys: [Int]) throws -> Double

  /// Reads object by object and returns the same sum over all of them.
  func sumOfFieldsOfAll() throws -> Double

  /// The number of objects.
  func objectCount() throws -> Int

  /// Opens a second reader that holds the present version until `unpin()`.
  func pin() throws

  /// Ends the reader that `pin()` opened.
  func unpin() throws

  /// The bytes of all files of the database, logs and lock files included.
  func fileByteCount() throws -> Int

  /// Figures that verify the writing workloads; never timed.
  func contents() throws -> Contents
}

/// An engine that answers queries.
///
/// A query is timed from its text to its answer, parsing and planning included.
package protocol QueryEngine: Engine {
  /// Counts the objects that match `query`.
  func count(_ query: CountQuery) throws -> Int

  /// Counts `name == $0` for each name and returns the sum of the counts.
  ///
  /// The query may be parsed once; each name is a query of its own.
  func countEach(name names: [String]) throws -> Int

  /// Sorts all objects by `field`, ascending, and returns the key of the first.
  func firstKey(sortedBy field: SortField) throws -> Int

  /// The keys of the `limit` objects with the highest scores, highest first.
  func keysOfHighestScores(limit: Int) throws -> [Int]

  /// The number of distinct cities.
  func distinctCityCount() throws -> Int

  /// The sum of age + the sum of score + the greatest age.
  func aggregate() throws -> Double
}

/// One update of the updating workloads.
package struct AgeUpdate: Sendable {
  package let key: Int
  /// Years.
  package let age: Int
}

/// The field by which all objects are sorted.
package enum SortField: Sendable {
  case score
  case email
}

/// The contents of a database, in a few figures that two engines must agree on.
package struct Contents: Equatable, Sendable {
  package var objectCount: Int
  /// Years.
  package var ageSum: Int
  /// Objects with a friend; nil for an engine that does not maintain links.
  package var linkCount: Int?

  /// - Parameters:
  ///   - objectCount: the number of objects.
  ///   - ageSum: the sum of all ages in years.
  ///   - linkCount: the number of objects with a friend, nil when links are not maintained.
  package init(objectCount: Int, ageSum: Int, linkCount: Int?) {
    self.objectCount = objectCount
    self.ageSum = ageSum
    self.linkCount = linkCount
  }

  /// Whether both agree on all figures that both know.
  package func agrees(with other: Contents) -> Bool {
    objectCount == other.objectCount && ageSum == other.ageSum
      && (linkCount == nil || other.linkCount == nil || linkCount == other.linkCount)
  }
}
