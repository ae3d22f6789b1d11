/// A database as a map from integers to byte strings.
///
/// An instance owns the files of one directory, which is empty when the first `open()` is called.
/// "Durable" means that the bytes are on the disk (fdatasync or stronger) when the call returns.
package protocol KeyValueEngine: AnyObject {
  /// Opens the files, and creates the map when there is none.
  func open() throws

  /// Closes the files; `open()` may follow.
  func close() throws

  /// Sets the values of keys in one durable transaction, whether they are there or not.
  func put(_ entries: [KeyValueEntry]) throws

  /// Removes keys in one durable transaction; keys that are not there are passed over.
  func remove(_ keys: ArraySlice<Int>) throws

  /// Visits the values of keys in one read transaction, in the order of the keys given.
  ///
  /// Keys that are not there are passed over.
  func forEachValue(of keys: [Int], _ body: (_ key: Int, _ value: Span<UInt8>) -> Void) throws

  /// Visits all values in the order of the keys.
  func forEachValue(_ body: (_ key: Int, _ value: Span<UInt8>) -> Void) throws

  /// A reader for one other thread, whose every look-up sees the newest version.
  func makeReader() throws -> any KeyValueReader

  /// The bytes of all files of the database, logs and lock files included.
  func fileByteCount() throws -> Int
}

/// Looks keys up for one thread while others write.
package protocol KeyValueReader: AnyObject {
  /// Visits the value of a key in a read transaction of its own; false when there is none.
  func withValue(of key: Int, _ body: (Span<UInt8>) -> Void) throws -> Bool
}

/// A key and its value.
package struct KeyValueEntry: Sendable {
  package let key: Int
  package let value: [UInt8]
}
