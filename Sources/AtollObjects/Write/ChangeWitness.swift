/// What a `TableWriter` tells of changes in its objects before they are made.
protocol ChangeWitness: AnyObject {
  /// A property of an object is about to change.
  func willChange(_ column: Column, of key: UInt64, _ writer: TableWriter) throws(ObjectError)
  /// A member of a set, or the entry of a key of a map, is about to change.
  func willChange(_ part: Value, in column: Column, of key: UInt64, _ writer: TableWriter)
    throws(ObjectError)
  /// An element of a list is about to change.
  func willChange(
    _ change: ElementChange, in column: Column, of key: UInt64, _ writer: TableWriter
  ) throws(ObjectError)
  /// An object was made.
  func didInsert(_ key: UInt64, _ writer: TableWriter)
  /// An object is about to be deleted; what it holds is still there.
  func willDelete(_ key: UInt64, _ writer: TableWriter) throws(ObjectError)
}
