/// A bug of a device or a server, planted by the simulator, which must find each.
///
/// `SyncClient` and `SyncServer` take one in their configuration and test for it where they follow
/// the rule. Only the simulator plants any.
package enum SyncFault: String, CaseIterable, Sendable {
  // MARK: In the device

  /// An outbox that has become empty counts from 1 again.
  case r1ReusedNumber = "r1-reused-number"
  /// A subscription set is sent before the transactions that were committed before it.
  case r1SetsFirst = "r1-sets-first"
  /// An entry is sent before its commit is durable.
  case r2EarlyPush = "r2-early-push"
  /// A cursor is confirmed before the commit that moved it is durable.
  case r2EarlyConfirmation = "r2-early-confirmation"
  /// The server's entries under an id are not compared with those of the file.
  case r3KeptIdentity = "r3-kept-identity"
  /// With another id, the entries of the outbox take new names too.
  case r3NewNames = "r3-new-names"
  /// The clock does not follow that of the batches.
  case r4LaggingClock = "r4-lagging-clock"
  /// A batch with a whole object does not change the units that it does not name.
  case r5Descendants = "r5-descendants"
  /// The links to an object that leaves the device are cleared.
  case r6ClearedLinks = "r6-cleared-links"
  /// An object that the server sends as a whole gets a new row.
  case r7NewKey = "r7-new-key"
  /// Pending operations still name a creation that was answered.
  case r8Unnamed = "r8-unnamed"
  /// Every answer is taken for *applied as sent*.
  case r9AllApplied = "r9-all-applied"
  /// An answered increment is added to the value of the batch again.
  case r9AddedTwice = "r9-added-twice"
  /// An image stays as it was when a batch brings the confirmed value.
  case r9StaleImage = "r9-stale-image"
  /// An operation that came too late for its object makes no entry in the inbox.
  case r10SilentInbox = "r10-silent-inbox"
  /// A batch leaves out a value that is too long for an index of the device.
  case r11LocalLimit = "r11-local-limit"
  /// A batch is applied whatever its `from`.
  case r12AnyFrom = "r12-any-from"
  /// After a refusal, nothing more is sent on the connection or any later one.
  case r13Stall = "r13-stall"
  /// A bootstrap that starts again keeps its earlier batches.
  case r17KeptBootstrap = "r17-kept-bootstrap"
  /// A set is complete with the first batch of its bootstrap.
  case r17EarlyComplete = "r17-early-complete"

  /// An object of an asymmetric class is on the device once it is answered.
  case i3KeptEvent = "i3-kept-event"
  /// A device keeps objects that did not arrive again in a client reset.
  case r18KeptRest = "r18-kept-rest"

  // MARK: In the server

  /// Any file may continue under a client id.
  case r3AnyFile = "r3-any-file"
  /// An entry that was judged under another number is judged again.
  case r3ForgottenNames = "r3-forgotten-names"
  /// The write that arrives last wins, whatever the clocks.
  case r4ArrivalOrder = "r4-arrival-order"
  /// A clock from the future is accepted unchanged.
  case r4AnyClock = "r4-any-clock"
  /// A clock from the future counts as the latest that is allowed, whatever was accepted before.
  case r4LateWrite = "r4-late-write"
  /// The removal of a map's entry, or of a set's member, is not recorded.
  case r5UnnotedRemoval = "r5-unnoted-removal"
  /// A change in an embedded object is made in whichever one is in its place.
  case r5AnyIncarnation = "r5-any-incarnation"
  /// An increment counts though a newer write has set the property.
  case r5LateIncrement = "r5-late-increment"
  /// An edit of a dead generation changes the live one.
  case r8AnyGeneration = "r8-any-generation"
  /// A creation after the client's own deletion is outdated unless a batch contained the deletion.
  case r8OwnDeletion = "r8-own-deletion"
  /// Answers are forgotten with the first confirmation, whatever it names.
  case r10ForgottenAnswers = "r10-forgotten-answers"
  /// A batch of a live stream begins where the last one ended, but states a later beginning.
  case r12WrongFrom = "r12-wrong-from"
  /// The objects that a device holds may change without a new version.
  case r14SilentMoves = "r14-silent-moves"
  /// A cursor is good if its incarnation is known, however far it is.
  case r14AnyVersion = "r14-any-version"
  /// Sent objects count as held, also when the connection ended before the confirmation.
  case r15SentIsHeld = "r15-sent-is-held"
  /// A confirmation drops moves that were sent after the confirmed cursor.
  case r15DroppedLog = "r15-dropped-log"
  /// An object that leaves the view is not removed from the devices that hold it.
  case r16NoLeave = "r16-no-leave"
  /// A new subscription set sends no objects that match already.
  case r16NoCatchUp = "r16-no-catch-up"
  /// Changes made during a bootstrap are not sent with its last batch.
  case r17Behind = "r17-behind"
  /// Objects in the last batch of a catch-up count as sent with the earlier parts.
  case r17SameRun = "r17-same-run"
  /// A creation outside of the subscriptions is accepted.
  case r20AnyCreation = "r20-any-creation"
  /// An edit of an object that the client does not hold is accepted.
  case r20AnyEdit = "r20-any-edit"
  /// An object of an asymmetric class has to be in view.
  case r20EventInView = "r20-event-in-view"
  /// A creation changes an object of an asymmetric class that is there.
  case r20MetEvent = "r20-met-event"
  /// A creation that meets a live object is not answered with the whole object.
  case r20Unmerged = "r20-unmerged"
}
