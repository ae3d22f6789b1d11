extension Workload {
  /// Looks up a million random keys and reads three fields of each object.
  static func pointGet(seed: UInt64, rows: Int, engine: any Engine) throws -> Sample {
    var random = SplitMix64(state: seed)
    let keys = (0..<Count.pointGets).map { _ in random.nextKey(below: rows) }
    return try Sample.measure(operations: keys.count) {
      Int(try engine.sumOfFields(keys: keys))
    }
  }

  /// Reads the same three fields of every object.
  static func scanRead(rows: Int, engine: any Engine) throws -> Sample {
    try Sample.measure(operations: rows) {
      Int(try engine.sumOfFieldsOfAll())
    }
  }

  /// Opens the files, reads the number of objects and closes them.
  static func open(engine: any Engine) throws -> Sample {
    try engine.close()
    let sample = try Sample.measure(operations: 1) {
      try engine.open()
      let count = try engine.objectCount()
      try engine.close()
      return count
    }
    try engine.open()
    return sample
  }
}
