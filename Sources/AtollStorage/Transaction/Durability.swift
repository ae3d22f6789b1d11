/// What a commit waits for before it returns.
///
/// Whatever it is, readers in all processes see the new version at once, and it survives the death
/// of every process. The difference is what a power cut or a crash of the system leaves.
public enum Durability: Sendable, CaseIterable {
  /// The version is on the disk when the commit returns.
  case full
  /// The disk is not waited for.
  ///
  /// After a power cut the file is at a version that was committed, not before the newest durable
  /// one: the last moments may be lost, and never a part of a commit. A later commit that is `full`
  /// makes all before it durable, and so does synchronising or closing the database.
  case relaxed
  /// The disk is told nothing about the order of writes.
  ///
  /// For data that can be made again. A power cut may leave a file that does not open or reports
  /// damage, never one that gives wrong answers. Synchronising or closing the database, or a later
  /// commit that is `full`, ends that.
  case none
}
