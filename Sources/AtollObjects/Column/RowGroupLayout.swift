/// The columns of a table: what a row group's directory does not say.
package struct RowGroupLayout: Hashable, Sendable {
  package struct Column: Hashable, Sendable {
    package var id: UInt32
    package var layout: ColumnLayout

    package init(id: UInt32, layout: ColumnLayout) {
      self.id = id
      self.layout = layout
    }
  }

  /// Ascending by id, none of which is 0: that is the keys.
  package let columns: [Column]

  package init(_ columns: [Column]) {
    self.columns = columns.sorted { $0.id < $1.id }
    var previous: UInt32 = 0
    for column in self.columns {
      precondition(column.id > previous, "ids of columns are distinct and not 0")
      previous = column.id
    }
  }

  /// The place of a column in `columns`, or nil.
  package func index(of id: UInt32) -> Int? {
    columns.firstIndex { $0.id == id }
  }
}
