internal import AtollObjects
internal import Synchronization

/// Notifies the realms of one file of each new version that a process commits.
///
/// One task for a file, from the first realm that something can be delivered to until the file is
/// closed.
final class CommitWatcher: Sendable {
  private let task: _Concurrency.Task<Void, Never>

  init(_ database: Database, _ identity: SharedFile.Identity) {
    let commits = database.commits
    task = _Concurrency.Task.detached {
      // It ends when the file is closed, or can no longer be waited for.
      do {
        for try await _ in commits { OpenRealms.noteCommit(identity) }
      } catch {}
    }
  }

  deinit { task.cancel() }
}
