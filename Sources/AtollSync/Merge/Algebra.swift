// The algebra of merging, common to device, server and simulator.
//
// ## Units
//
// An object is named by its address: class and primary key. What it consists of is a tree of units:
//
//     existence                     the generation of the object, or that it is not there
//       property p                  one value: scalar, link, embedded object
//       element e of list p         a position and a value, or that it is not there
//       entry k of map p            a value, or that it is not there
//       member m of set p           that it is there, or not
//
// Existence is above all others: a change of it concerns them. A list, a set, a map has no unit of
// its own; clearing or assigning it removes the elements that the device has seen, and adds the new
// ones. Properties that are not named hold the default of their type (`ClassShape`); elements,
// entries and members that are not named are not there.
//
// Inside a value there are places that change one by one, at any depth: the properties of an
// embedded object, and the entries of a map in a mixed value. A place is named by its way from the
// unit and by the incarnation of the innermost embedded object on it: an embedded object that takes
// the place of another has other places. Collections that are properties of an embedded object are
// one place each, as are lists and sets in a mixed value. For a device a change at a place is one
// of the unit's value.
//
// ## Effects
//
// An operation op, replayed on the units S of its object (`UnitState.replay`):
//
//     create           S is there: S names op beside its own generation.
//                      S is not there: existence := the generation of op, every property := its
//                      default, no elements.
//     otherwise        no effect unless S is there and op names its generation, or a create
//                      that S met.
//     delete           every unit := not there
//     set p v          p := v
//     increment p d    p := p + d if p is a whole number; no effect on null
//     insert p e x v   e := (x, v)
//     setElement p e v e := (position of e, v) if e is there
//     moveElement p e x e := (x, value of e) if e is there
//     removeElement    e := not there
//     setEntry p k v   k := v
//     addMember p m    m := there
//     removeEntry p k  k, or m, := not there
//     edit u q c       u := u with c done at the place q, if u has q in the named incarnation
//
// An effect on one unit depends on that unit and existence alone. So for every set U of units with
// existence in it, replaying on S restricted to U gives the restriction of replaying on S: this
// lets a device work unit by unit, and with the operations on these units alone, in their order.
//
// Sums are of 64 bits and wrap around: so they do not depend on the order of what is added, and no
// device and no server can be stopped by one.
//
// `touched` names the units that an operation may change: all of the object for create and delete,
// its own unit otherwise. An operation changes no unit that it does not touch.
//
// ## A device
//
// Confirmed C is the server's state; the outbox O has the operations since then; head H = O
// replayed on C. An image is the unit of C for a unit that an operation of O touches. With answers
// A and a batch B:
//
//     C' = B over (operations of A applied as sent, replayed in their order on C)
//     O' = O without what A answers, its pending creates named by the generations that A tells
//     H' = O' replayed on C'
//
// By the law above the same holds unit by unit for the units that B or A meets (`ObjectRebase`);
// the others keep their values: no operation on them left the outbox, and C did not change there.
// An image stays, with the value of C', where an operation of O' touches the unit, else it goes.
//
// Replay is idempotent where it must be: a unit that B carries takes the value of B whatever A
// applied before, so it does not matter whether a batch already contains what its answers say. Nor
// is an increment counted twice by that: batches carry values, and a value that has an increment in
// it never comes before the increment's answer. It comes with it, or later.
//
// ## The server
//
// It has one order, by version. An operation is judged when it arrives: right, holding, generation,
// clock. Per unit the last writer wins: a value whose clock (reading, client, number) is less than
// the unit's is outdated. That an entry or a member is not there is a value like others, so that
// the later of an addition and a removal wins; the removal of a list's element is final.
//
// An element has two clocks, that of its value and that of its place: a set competes with sets and
// a move with moves, so that each survives the other, and the later of two moves wins. An element
// exists once, wherever it is moved; its removal wins over both.
//
// Increments of a unit do not compete with each other: all count. Against a set the clock decides,
// whatever arrives first:
//
//     an increment, older than the unit's set       outdated
//     an increment, newer                           the value grows by it; the unit keeps the
//                                                   stamp of its set, and the increment's is kept
//                                                   beside it
//     a set, newer than the unit's set              the value set and the increments newer than
//                                                   the set
//
// So the value is that of the newest set and the sum of all increments newer than it. Of the
// increments after a set, `UnitRecord.incrementLimit` are kept apart; the oldest two of more become
// one with the later stamp, which a set that arrives very late may therefore count though it is
// newer than the first: nothing that was added is ever lost to an older set. A device whose set did
// not win alone is sent the value.
//
// Places inside a unit have a clock each. A change there competes, within its incarnation, with
// changes of the same place, of what it lies in and of what lies in it, as sets and increments do
// above. One in a mixed value competes with the sets of the unit too, and a set of the unit with
// those inside. If the embedded object is another one, the change is outdated: replacing an
// embedded object discards all changes in it, whatever their clocks. `InnerRecord.placeLimit`
// places are kept apart; of more, the one that was written first shares its clock with all that are
// not listed.
//
// Existence has no clock: a deletion of the live generation wins against all edits, whenever they
// were made. A create of a live object meets it: what it then sets competes by clock. A create
// after a deletion that its device has seen, or has made, begins a new generation, the version that
// accepts it; after one that it has not seen, it is outdated. Operations that name a generation
// which is not the live one are outdated; those that name a create which was not accepted share its
// verdict.
//
// So the state of the server is a function of the order of judgement, and a device that has the
// same values converges to it: head = confirmed once the outbox is empty.
