/// What a `TableWriter` tells of changes in its objects before they are made, and what its
/// transaction tells of those that only it knows.
package protocol ChangeWitness: AnyObject {
  /// A property of an object is about to change.
  func willChange(_ column: Column, of key: UInt64, _ writer: TableWriter) throws(ObjectError)

  /// A member of a set, or the entry of a key of a map, is about to change.
  func willChange(_ part: Value, in column: Column, of key: UInt64, _ writer: TableWriter)
    throws(ObjectError)

  /// An element of a list is about to change.
  func willChange(
    _ change: ElementChange, in column: Column, of key: UInt64, _ writer: TableWriter
  ) throws(ObjectError)

  /// The elements of a list are about to stand in another order; nothing else is told of that.
  ///
  /// - Parameters:
  ///   - column: The list.
  ///   - key: The object.
  ///   - writer: The writer of its class.
  ///   - order: For each place the one that its element has now, those that wait included.
  ///   - moved: The places that the elements that move have now; the others keep their order.
  /// - Throws: when what is there cannot be read.
  func willRearrange(
    _ column: Column, of key: UInt64, _ writer: TableWriter, _ order: [Int], moved: Set<Int>
  ) throws(ObjectError)

  /// Elements of a list are about to go, as the objects in them were deleted.
  ///
  /// - Parameters:
  ///   - places: The elements' places, ascending.
  ///   - column: The list.
  ///   - key: The object.
  ///   - writer: The writer of its class.
  /// - Throws: when what is there cannot be read.
  func willClear(_ places: [Int], in column: Column, of key: UInt64, _ writer: TableWriter)
    throws(ObjectError)

  /// A list was set as a whole, and nothing more belongs to that.
  func didAssign(_ column: Column, of key: UInt64, _ writer: TableWriter) throws(ObjectError)

  /// An integer was changed by adding to it.
  func didIncrement(_ column: Column, of key: UInt64, by delta: Int64, _ writer: TableWriter)

  /// An object was made.
  func didInsert(_ key: UInt64, _ writer: TableWriter)

  /// An object is about to be deleted; what it holds is still there.
  func willDelete(_ key: UInt64, _ writer: TableWriter) throws(ObjectError)
}
