/// An object in a migration: one of the old version, or of the new one.
public typealias MigrationObject = DynamicObject

/// Moves the data of an older version of the classes.
///
/// It runs in the one transaction that brings the file to the new version. Where it does not get to
/// its end, the file stays as it was.
@preconcurrency public typealias MigrationBlock =
  @Sendable (_ migration: Migration, _ oldSchemaVersion: UInt64) -> Void

/// Is given the old and the new form of an object; nil where there is none.
public typealias MigrationObjectEnumerateBlock =
  (_ oldObject: MigrationObject?, _ newObject: MigrationObject?) -> Void

/// The old and the new form of a realm, while its file is brought to a higher version.
///
/// What is new in the classes is there, and has its defaults, when the block begins. What has gone
/// from them is read from the old objects. Of use in the block only.
public final class Migration {
  let work: MigrationWork

  init(_ work: MigrationWork) { self.work = work }

  /// The classes as the file had them.
  public var oldSchema: Schema { work.oldSchema }

  /// The classes as the program has them; as the file has them, where the program has not named one.
  public var newSchema: Schema { work.newSchema }

  /// Ends the migration with an error, which the opening of the realm throws; the file stays as it
  /// was.
  ///
  /// The block goes on to its end, and nothing more is enumerated. The first error counts.
  public func fail(_ error: any Error) { work.fail(error) }
}

@available(*, unavailable, message: "a migration is of use in its block only")
extension Migration: Sendable {}
