import AtollObjects

extension ModelRun {
  /// Works on a new database at `path`, which is closed, opened and compared after every other
  /// step.
  ///
  /// - Returns: the database, open and sound, without readers.
  mutating func workReopening(
    _ path: String, options: Database.Options = Database.Options()
  ) throws -> Database {
    var database = try Database.open(path, options: options)
    try begin(database)
    for step in 0..<6 {
      try self.step(database)
      if step % 2 == 1 {
        try releaseAll()
        try database.close()
        database = try Database.open(path, options: options)
        try compare(database)
        try check(database)
      }
    }
    try releaseAll()
    try check(database)
    return database
  }
}
