internal import AtollObjects

extension FileAnswers {
  /// Compares a copy of a damaged file with what the sound file answered.
  ///
  /// Every object is there with all its values, or the report lists what is missing.
  ///
  /// - Throws: `CaseViolation` for a loss that is not listed, and for an object that never was.
  func verify(_ copy: Snapshot, listedIn report: SalvageReport) throws {
    guard copy.schema.tables.map(\.name) == classes.map(\.name) else {
      throw CaseViolation("the copy has the classes \(copy.schema.tables.map(\.name))")
    }
    for rows in classes {
      let losses = report.losses.filter { $0.className == rows.name }
      let table = try copy.table(rows.name)
      var copied = 0
      for (index, key) in rows.keys.enumerated() {
        let key = ObjectKey(rawValue: key)
        guard let object = try table.object(key) else {
          guard losses.contains(where: { $0.kind == .objects && Self.covers($0, key) }) else {
            throw CaseViolation("the copy lacks \(rows.name) \(key.rawValue), which is not listed")
          }
          continue
        }
        copied += 1
        for (position, column) in table.schema.columns.enumerated() {
          let value = try object.value(column)
          guard value != rows.values[index][position] else { continue }
          let isListed = losses.contains {
            ($0.kind == .values || $0.kind == .links) && $0.property == column.name
              && Self.covers($0, key)
          }
          guard isListed else {
            throw CaseViolation(
              "the copy has \(value) as \(rows.name).\(column.name) of \(key.rawValue)")
          }
        }
      }
      guard copied == table.count else {
        throw CaseViolation("the copy has objects of \(rows.name) that never were")
      }
    }
  }

  private static func covers(_ loss: SalvageReport.Loss, _ key: ObjectKey) -> Bool {
    loss.keys?.contains(key) ?? true
  }
}
