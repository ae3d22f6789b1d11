extension Transaction {
  package func waitingLinks(_ column: Column, of keys: ClosedRange<UInt64>) throws(ObjectError)
    -> [UInt64: [[UInt8]]]
  {
    try checkUse()
    try writeDeferred()
    try settleDeletions()
    var links: [UInt64: [[UInt8]]] = [:]
    for key in try pending.sources(column, of: keys) {
      let waiting = try pending.waiting(
        source: ObjectLink(table: column.table, key: key), column: column)
      if !waiting.isEmpty { links[key] = waiting.map(\.mapKey) }
    }
    return links
  }
}
