extension Printer {
  mutating func print(_ grouping: QuerySyntax.Grouping) {
    print(" GROUP(")
    printList(grouping.columns) { printer, column in printer.print(column) }
    print(")")
    for step in grouping.steps {
      switch step {
      case .sort(let keys):
        print(" SORT(")
        printList(keys) { printer, key in
          printer.print(key.column)
          printer.print(key.isAscending ? " ASC" : " DESC")
        }
        print(")")
      case .limit(let count): print(" LIMIT(\(count))")
      }
    }
  }

  mutating func print(_ column: QuerySyntax.GroupColumn) {
    switch column {
    case .key(let path): print(path)
    case .count: print("@count")
    case .aggregate(let function, let path):
      print("\(function.rawValue).")
      print(path)
    }
  }
}

extension QuerySyntax.GroupColumn: CustomStringConvertible {
  /// The column as text of the query language, which is also its name.
  public var description: String {
    var printer = Printer()
    printer.print(self)
    return printer.text
  }
}
