// The algebra of merging, common to device, server and simulator.
//
// ## Units
//
// An object is named by its address: class and primary key. What it consists of is a tree of units:
//
//     existence                     the generation of the object, or that it is not there
//       property p                  one value: scalar, link, embedded object
//       element e of list p         a position and a value, or that it is not there: see "Lists"
//       entry k of map p            a value, or that it is not there
//       member m of set p           that it is there, or not
//
// Existence is above all others: a change of it concerns them. A list, a set, a map has no unit of
// its own; clearing it removes the parts that the device holds, and assigning it removes and adds
// what differs. Properties that are not named hold the default of their type (`ClassShape`);
// elements, entries and members that are not named are not there.
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
// ## Lists
//
// An element is a unit with an id, a position and a value. The id is made at its insertion and is
// unique in every copy of every file: it begins with a random number of the database that is open,
// which no file holds. It stays whatever becomes of position and value, and is not used again after
// the removal. The list is its elements in the order of (position, id).
//
//     insertion     begins an element, with a position and a value
//     new value     changes the value; the position stays. An edit at a place inside the value,
//                   which is an embedded object or has a map, is one too
//     move          changes the position; the value stays
//     removal       ends the element; nothing brings it back
//
// A device records operations of the list when they are made, of the elements that they name, and
// compares no values. Operations on different elements commute. Of two devices on one element that
// both have, whichever arrives first:
//
//                   new value              move                   removal
//     new value     the later stays        both count             not there
//     move          both count             the later stays        not there
//     removal       not there              not there              not there
//
// An insertion meets none of these: other devices do not know the element before the server does.
// Edits inside a value compete as "The server" says; a new value of the element competes with them
// where it is mixed. An embedded object in the place of another is a removal and an insertion.
//
// A transaction records, for each element, what it has come to since the transaction began:
//
//     insertion, then new values and moves      one insertion, with the last value and place
//     insertion, then a removal                 nothing
//     new values                                the last one; nothing if it is the first again
//     moves                                     the last place; nothing if it is the first again
//     new values and moves                      one of each
//     anything, then a removal                  the removal
//     a removal, and an insertion of an equal   both: they are of two elements
//     value
//
// An element is taken back to its place if it stands there between its neighbours of before: then
// it keeps its position. Where two positions leave no place between them, as they are equal or too
// long, what is in the way is moved too.
//
// An assignment of a whole list says nothing of elements, so it is the one operation whose values
// are compared, in order, with those that the list had just before. A longest common part stays,
// with its ids and positions. (Of long lists that differ in much: what both begin and end with, and
// between these a longest ascending part of the pairs that the n-th copies of equal values make.)
// The rest of the old list is removed and the rest of the new one inserted. So an assignment of
// what is there is nothing, one in another order is removals and insertions, and one to an empty
// list removes what the device has. The net of the transaction is taken over this too: an element
// that it had inserted before, and the assignment removes, leaves nothing.
//
// Equal values tell nothing of elements anywhere else: of [x, x] a removal of the first on one
// device and of the second on another leave nothing, of the first on both one x.
//
// Elements whose links wait for their objects have ids and positions as all have. An assignment and
// a clearing are of the elements that can be seen; those that wait stay, also where the same
// transaction has deleted their objects before. An assignment by primary keys, as an import makes
// it, is of all elements.
//
// A run is what one device inserts, or moves, side by side at one place, in whatever order. It
// begins with a place between its neighbours and the mark of the device, which is made of its id
// and of the number that its file has on the disk: so it stays when the file is opened again,
// and a copy has another, unless it is written over the file itself. All positions of the run
// begin with these numbers and count on from there, upwards behind the run and downwards before
// it. Two devices that insert between the same neighbours at once begin with the same place and
// different marks: so all positions of one run lie before, or behind, all of the other, and what
// a device inserts later between two elements of its run lies between them. Which run is first
// is no matter of clocks, and the same for all. Where the mark of a device changes (another id,
// a compaction), a run that was not sent yet goes on under the new mark, within the old one.
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
// So an element has two clocks, that of its value and that of its position: a new value competes
// with new values and a move with moves, and each survives the other. An insertion is a new value;
// every move comes after it. A removal has no clock: it wins over both, and what comes for an
// element that was removed is outdated. No id is given twice: an insertion under one that the list
// has had in the object's life is of a copied file, and is refused; of a transaction that sends
// objects again it is outdated. So is the first one of an element of which the server has only heard
// from others, as it went back: they have removed it, or sent it again, and that counts.
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
