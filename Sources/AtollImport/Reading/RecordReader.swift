/// A data file as a stream of records.
package protocol RecordReader: ~Copyable {
  /// The next record, nil after the last.
  ///
  /// After an error the reader is spent: the place behind an error is not defined.
  mutating func next() throws(ImportError) -> DataRecord?

  /// How many bytes of the file have been consumed.
  var byteOffset: Int { get }

  /// A remark for the user on how the file was read; nil when nothing was ambiguous.
  var remark: String? { get }
}

extension RecordReader where Self: ~Copyable {
  package var remark: String? { nil }
}
