// The state that a central manager and its peripherals share: the way to the adapter, the lock that guards everything
// observable, and the table of live `CBPeripheral` objects. Peripherals outlive their manager if the app retains them.

import BluetoothTypes
import Foundation

/// The state that one central manager shares with its peripherals.
final class CentralContext {
    private struct Slot {
        var generation: UInt32 = 0
        weak var peripheral: CBPeripheral?
    }

    let adapter: BluetoothAdapter
    let lock: ObjectLock
    let commands: Mailbox<CentralCommand>
    let observation: PropertyObservation

    let observer: (any AdapterObserver)?

    // Guarded by the lock.
    @exclusivity(unchecked) private var slots: ContiguousArray<Slot> = []
    private var freeSlots: [Int32] = []
    private var tokens: [UUID: PeripheralToken] = [:]

    init(adapter: BluetoothAdapter, lock: ObjectLock, endpoint: BluetoothAdapter.ManagerEndpoint<CentralCommand>) {
        self.adapter = adapter
        self.lock = lock
        self.commands = endpoint.commands
        self.observation = PropertyObservation(lock: lock, wakeQueue: endpoint.wakeQueue)
        self.observer = adapter.configuration.observer
    }

    /// Sends a command of the app.
    @inline(__always)
    func send(_ command: CentralCommand) {
        if let observer = self.observer, let call = command.call(in: self) { observer.called(call) }
        self.commands.send(command)
    }

    /// The object for a device: the live one, else a new one.
    ///
    /// A new one gets the given token if the session knows the object by that already.
    func peripheral(for peer: PeerDescription, token given: PeripheralToken? = nil) -> CBPeripheral {
        let peripheral = self.lock.withLock { () -> CBPeripheral in
            if let token = self.tokens[peer.identifier], let known = self.object(token) { return known }
            let token: PeripheralToken
            if let given {
                token = given
                self.reserve(given)
            } else if let index = self.freeSlots.popLast() {
                token = PeripheralToken(index: index, generation: self.slots[Int(index)].generation)
            } else {
                token = PeripheralToken(index: Int32(self.slots.count), generation: 0)
                self.slots.append(Slot())
            }
            let peripheral = CBPeripheral(context: self, token: token, peer: peer)
            self.slots[Int(token.index)].peripheral = peripheral
            self.tokens[peer.identifier] = token
            return peripheral
        }
        peripheral.learn(name: peer.name)
        return peripheral
    }

    /// Gives none of the first places to a new object: a session that is taken over may still report events of the
    /// objects that the earlier manager had there.
    func reserve(places count: Int) { self.lock.withLock { self.addPlaces(upTo: count) } }

    /// Adds places that no new object gets.
    ///
    /// Under the lock.
    private func addPlaces(upTo count: Int) {
        while self.slots.count < count { self.slots.append(Slot()) }
    }

    private func reserve(_ token: PeripheralToken) {
        self.addPlaces(upTo: Int(token.index) + 1)
        self.freeSlots.removeAll { $0 == token.index }
        self.slots[Int(token.index)].generation = token.generation
    }

    /// The object with a token, while it lives; `nil` also for the token of an object that only an earlier manager had.
    ///
    /// Under the lock, and not to be released there: its deinitializer takes the lock.
    @inline(__always)
    func object(_ token: PeripheralToken) -> CBPeripheral? {
        // Without a copy of the slot, which would be another weak reference.
        let index = Int(token.index)
        guard index < self.slots.count, self.slots[index].generation == token.generation else { return nil }
        return self.slots[index].peripheral
    }

    /// The object with a token, while it lives.
    @inline(__always)
    func peripheral(_ token: PeripheralToken) -> CBPeripheral? {
        self.lock.withLock { self.object(token) }
    }

    /// All live objects.
    var livePeripherals: [CBPeripheral] { self.lock.withLock { self.slots.compactMap(\.peripheral) } }

    /// From now on every device gets a new object.
    func forgetObjects() { self.lock.withLock { self.tokens = [:] } }

    /// An object is about to be gone.
    func released(_ token: PeripheralToken, identifier: UUID) {
        self.lock.withLock {
            self.slots[Int(token.index)] = Slot(generation: token.generation &+ 1)
            self.freeSlots.append(token.index)
            if self.tokens[identifier] == token { self.tokens[identifier] = nil }
        }
        self.commands.send(.release(token))
    }
}
