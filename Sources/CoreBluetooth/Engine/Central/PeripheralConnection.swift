// One CBPeripheral object's wish for a link, and the procedures that it asked for on it: carried out in the order of the
// calls, one callback each.

import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import DequeModule
import NIOCore

/// One wish for a link.
final class PeripheralConnection {
    enum Phase {
        /// Its start is put off.
        case delayed(Scheduled<Void>)
        /// Waits for the link.
        case pending
        /// Has the link.
        case established
        /// Given up by the app; told when the link has ended.
        case leaving
        /// Over.
        case ended
    }

    let name: ConnectionID
    let session: CentralSession
    let peer: Peer
    let options: ConnectOptions
    var phase: Phase = .pending
    /// The writes without response that are on their way.
    var window = TransmitWindow()
    /// Whether the object is gone, so that nobody is to be told.
    var isSilent = false

    /// What the app has discovered, where it may be needed beyond this link.
    var attributes: AttributeTree
    /// What is to be done before the app's procedures, on a link after which the app goes on with what it knew before.
    var resumption = Resumption.nothing

    private var waiting: Deque<GATTOperation> = []
    private var running: Running?
    /// What is running, unless it is a write without response.
    private var runningOperation: GATTOperation?
    /// Whether the running procedure is about attributes that are no more.
    private var isRunningInVain = false
    /// The ranges in which services became invalid, in order.
    private var invalidRanges: [AttributeHandleRange] = []
    private var isStarting = false
    var channelRequests = ChannelOpenRequests()
    /// The value handles for which this object gets notifications.
    var notifying: ContiguousArray<AttributeHandle> = []

    enum Resumption {
        case nothing
        /// It has to be known which server is there.
        case awaitingServer
        /// What the app knows is compared, and subscriptions are made again.
        case underWay
    }

    private enum Running {
        /// One request is on its way; write commands may follow it.
        case request
        /// Several requests in a row; everything else waits.
        case sequence
    }

    init(
        name: ConnectionID,
        session: CentralSession,
        peer: Peer,
        options: ConnectOptions,
        attributes: AttributeTree = AttributeTree()
    ) {
        self.name = name
        self.session = session
        self.peer = peer
        self.options = options
        self.attributes = attributes
    }

    var host: LEHost { self.session.core.host }

    /// Tells the object's queue, while the link is its own.
    @inline(__always)
    func tell(_ event: CentralEvent) {
        guard !self.isSilent else { return }
        if !self.options.alerts.isEmpty { self.showAlert(for: event) }
        self.session.tell(event)
    }

    /// The link is gone: nothing of it is told any more.
    func forgetOperations() {
        self.waiting.removeAll()
        self.running = nil
        self.resumption = .nothing
        self.runningOperation = nil
        self.isRunningInVain = false
        self.notifying.removeAll()
        self.channelRequests.cancelAll()
        self.session.core.channels.close(of: self)
    }

    /// Whether notifications of a characteristic concern this object.
    @inline(__always)
    func wantsNotifications(_ handle: AttributeHandle) -> Bool {
        self.notifying.contains(handle)
    }

    /// The peer's services in `range` are no more, and nothing that was asked about them is told: at their handles there
    /// may be others.
    func invalidate(_ range: AttributeHandleRange) {
        self.notifying.removeAll { range.contains($0) }
        self.invalidRanges.append(range)
        for operation in self.waiting where operation.concerns(range) { self.dropped(operation) }
        self.waiting.removeAll { $0.concerns(range) }
        if self.runningOperation?.concerns(range) == true { self.isRunningInVain = true }
        self.note { $0.invalidate(range) }
        self.tell(.servicesInvalidated(self.name, range))
    }

    /// Notes what the app learns, where it may be needed beyond this link.
    func note(_ body: (inout AttributeTree) -> Void) {
        guard self.session.isPreserved || self.options.reconnectsByItself else { return }
        body(&self.attributes)
        self.attributes.databaseHash = self.peer.cache?.databaseHash
        self.session.noteChange()
    }

    /// Whether nothing was asked for that is not answered.
    var isIdle: Bool {
        guard case .nothing = self.resumption else { return false }
        return self.running == nil && self.waiting.isEmpty
    }

    // MARK: Procedures

    /// Queues a procedure; the app had heard of so many invalidations when it asked for it.
    func perform(_ operation: GATTOperation, invalidations: Int) {
        guard case .established = self.phase, let link = self.peer.link else { return }
        if invalidations != self.invalidRanges.count {
            guard !self.invalidRanges.dropFirst(invalidations).contains(where: operation.concerns) else {
                return self.dropped(operation)
            }
        }
        if self.waiting.isEmpty, self.canStart(operation) {
            self.start(operation, on: link)
        } else {
            self.waiting.append(operation)
        }
    }

    /// A write without response that will never leave makes room for others all the same.
    private func dropped(_ operation: GATTOperation) {
        if case .writeWithoutResponse = operation { self.transmitted(1) }
    }

    /// Writes without response have left, or never will.
    func transmitted(_ count: Int) {
        if self.window.remove(count) { self.tell(.hasRoom(self.name)) }
    }

    private func canStart(_ operation: GATTOperation) -> Bool {
        guard case .nothing = self.resumption, !self.peer.isChecking else { return false }
        switch self.running {
        case nil: return true
        case .request: if case .writeWithoutResponse = operation { return true } else { return false }
        case .sequence: return false
        }
    }

    private func finish() {
        self.running = nil
        self.runningOperation = nil
        self.isRunningInVain = false
        self.startWaiting()
    }

    /// Starts what waits, as far as possible.
    func startWaiting() {
        // Procedures that end at once come back here; the loop further out goes on then.
        guard !self.isStarting else { return }
        self.isStarting = true
        defer { self.isStarting = false }
        while let next = self.waiting.first, self.canStart(next), case .established = self.phase,
            let link = self.peer.link
        {
            self.waiting.removeFirst()
            self.start(next, on: link)
        }
    }

    /// Wraps a completion: it counts only while the same link is there, and then the next procedure starts.
    private func completion<Output>(
        _ body: @escaping (PeripheralConnection, Result<Output, GATTError>) -> Void
    ) -> (Result<Output, GATTError>) -> Void {
        { [weak self] result in
            // What a lost link ends is not told: the disconnection is.
            guard let self, case .established = self.phase, !result.isDisconnection else { return }
            if !self.isRunningInVain { body(self, result) }
            self.finish()
        }
    }

    private func start(_ operation: GATTOperation, on link: LinkID) {
        if case .writeWithoutResponse(let handle, let value) = operation {
            self.peer.writers.append(self)
            return self.host.writeWithoutResponse(value, to: handle, on: link, token: .writeCommands)
        }
        let name = self.name
        self.runningOperation = operation
        switch operation {
        case .writeWithoutResponse: break

        case .readValue(let handle):
            self.running = .request
            self.host.perform(
                ReadValue(handle),
                on: link,
                completion: self.completion { interest, result in
                    switch result {
                    case .success(let value): interest.tell(.value(name, handle, value))
                    case .failure(let error): interest.tell(.readFailed(name, handle, error))
                    }
                }
            )

        case .readDescriptor(let handle):
            self.running = .request
            self.host.perform(
                ReadValue(handle),
                on: link,
                completion: self.completion { interest, result in
                    switch result {
                    case .success(let value): interest.tell(.descriptor(name, handle, value))
                    case .failure(let error): interest.tell(.descriptorReadFailed(name, handle, error))
                    }
                }
            )

        case .writeValue(let handle, let value):
            self.write(value, to: handle, on: link) { .wrote(name, handle, $0) }

        case .writeDescriptor(let handle, let value):
            self.write(value, to: handle, on: link) { .wroteDescriptor(name, handle, $0) }

        case .discoverServices(let uuids):
            if let known = self.peer.cache?.services(uuids) {
                return self.afterwards { $0.discovered(.success(known)) }
            }
            self.running = .request
            self.host.perform(
                DiscoverPrimaryServices(uuids: uuids),
                on: link,
                completion: self.completion { interest, result in
                    interest.learn(result) { $0.learn($1, uuids) }
                    interest.discovered(result)
                }
            )

        case .discoverIncludedServices(let range, let uuids):
            if let known = self.peer.cache?.includedServices(of: range) {
                return self.afterwards { $0.discovered(.success(known), includedBy: range, uuids) }
            }
            self.running = .request
            self.host.perform(
                FindIncludedServices(of: range),
                on: link,
                completion: self.completion { interest, result in
                    interest.learn(result) { $0.learn($1, includedBy: range) }
                    interest.discovered(result, includedBy: range, uuids)
                }
            )

        case .discoverCharacteristics(let range, let uuids):
            if let known = self.peer.cache?.characteristics(of: range) {
                return self.afterwards { $0.discovered(.success(known), of: range, uuids) }
            }
            self.running = .request
            // All are asked for: that takes no more time, and then all are known.
            self.host.perform(
                DiscoverCharacteristics(of: range),
                on: link,
                completion: self.completion { interest, result in
                    interest.learn(result) { $0.learn($1, of: range) }
                    interest.discovered(result, of: range, uuids)
                }
            )

        case .discoverDescriptors(let characteristic):
            if let known = self.peer.cache?.descriptors(of: characteristic) {
                return self.afterwards { $0.discovered(.success(known), of: characteristic) }
            }
            self.running = .request
            self.host.perform(
                DiscoverDescriptors(of: characteristic),
                on: link,
                completion: self.completion { interest, result in
                    interest.learn(result) { $0.learn($1, of: characteristic) }
                    interest.discovered(result, of: characteristic)
                }
            )

        case .setNotifying(let isOn, let characteristic):
            self.running = .sequence
            self.setNotifying(isOn, characteristic, on: link)
        }
    }

    // MARK: Discovery

    /// Keeps what the peer has answered.
    private func learn<Output>(
        _ result: Result<Output, GATTError>,
        _ body: (inout AttributeCache, Output) -> Void
    ) {
        guard case .success(let output) = result else { return }
        self.session.core.connections.learn(of: self.peer) { body(&$0, output) }
    }

    private func discovered(_ result: Result<[GATTRemoteService], GATTError>) {
        let services = (try? result.get()) ?? []
        self.session.core.connections.discovered(services, of: self.peer)
        let shown = services.filter { !CBPeripheral.hiddenServices.contains($0.uuid) }
        self.note { $0.add(shown, listed: true) }
        self.tell(.services(self.name, shown, result.failure))
    }

    private func discovered(
        _ result: Result<[GATTRemoteService], GATTError>,
        includedBy range: AttributeHandleRange,
        _ uuids: [BluetoothUUID]?
    ) {
        let services = ((try? result.get()) ?? []).filter { uuids?.contains($0.uuid) ?? true }
        if result.failure == nil { self.note { $0.add(services, includedBy: range) } }
        self.tell(.includedServices(self.name, of: range, services, result.failure))
    }

    private func discovered(
        _ result: Result<[GATTRemoteCharacteristic], GATTError>,
        of range: AttributeHandleRange,
        _ uuids: [BluetoothUUID]?
    ) {
        let characteristics = ((try? result.get()) ?? []).filter { uuids?.contains($0.uuid) ?? true }
        if result.failure == nil { self.note { $0.add(characteristics, of: range) } }
        self.tell(.characteristics(self.name, of: range, characteristics, result.failure))
    }

    private func discovered(
        _ result: Result<[GATTRemoteDescriptor], GATTError>,
        of characteristic: GATTRemoteCharacteristic
    ) {
        let descriptors = (try? result.get()) ?? []
        if result.failure == nil {
            self.peer.learn(descriptors, of: characteristic)
            self.note { $0.add(descriptors, of: characteristic.valueHandle) }
        }
        self.tell(.descriptors(self.name, of: characteristic.valueHandle, descriptors, result.failure))
    }

    // MARK: Writing

    private func write(
        _ value: ByteBuffer,
        to handle: AttributeHandle,
        on link: LinkID,
        event: @escaping (GATTError?) -> CentralEvent
    ) {
        self.running = .request
        // No attribute has a longer value (Vol 3, Part F, 3.2.9): the server need not be asked.
        guard value.readableBytes <= 512 else {
            return self.afterwards { interest in
                interest.tell(event(.att(.invalidAttributeValueLength, handle: handle)))
            }
        }
        self.host.perform(
            WriteValue(value, to: handle),
            on: link,
            completion: self.completion { interest, result in interest.tell(event(result.failure)) }
        )
    }

    /// Ends a procedure that needs no answer of the peer, in its turn like any other.
    private func afterwards(_ body: @escaping (PeripheralConnection) -> Void) {
        body(self)
        self.finish()
    }

    // MARK: Notifications

    private func setNotifying(_ isOn: Bool, _ characteristic: GATTRemoteCharacteristic, on link: LinkID) {
        let name = self.name
        let handle = characteristic.valueHandle
        guard !characteristic.properties.isDisjoint(with: [.notify, .indicate]) else {
            return self.afterwards { interest in
                interest.tell(.notifying(name, handle, false, .att(.requestNotSupported, handle: handle)))
            }
        }
        guard isOn != self.notifying.contains(handle) else {
            return self.afterwards { interest in interest.tell(.notifying(name, handle, isOn, nil)) }
        }
        switch self.peer.configurationHandle(of: characteristic) {
        case .known(let configuration):
            self.configure(isOn, characteristic, configuration, on: link)
        case .absent:
            self.afterwards { interest in
                interest.tell(.notifying(name, handle, false, .att(.attributeNotFound, handle: handle)))
            }
        case .unknown:
            self.host.perform(DiscoverDescriptors(of: characteristic), on: link) { [weak self] result in
                guard let self, case .established = self.phase, !result.isDisconnection else { return }
                guard !self.isRunningInVain else { return self.finish() }
                switch result {
                case .success(let descriptors):
                    self.peer.learn(descriptors, of: characteristic)
                    self.learn(result) { $0.learn($1, of: characteristic) }
                    self.setNotifying(isOn, characteristic, on: link)
                case .failure(let error):
                    self.tell(.notifying(name, handle, false, error))
                    self.finish()
                }
            }
        }
    }

    private func configure(
        _ isOn: Bool,
        _ characteristic: GATTRemoteCharacteristic,
        _ configuration: AttributeHandle,
        on link: LinkID
    ) {
        let name = self.name
        let handle = characteristic.valueHandle
        let others = self.othersWantNotifications(handle)
        // The first notification may overtake the answer to this write.
        if isOn { self.notifying.append(handle) } else { self.notifying.removeAll { $0 == handle } }
        guard !others else {
            return self.afterwards { interest in
                interest.note { $0.setNotifying(isOn, handle) }
                interest.tell(.notifying(name, handle, isOn, nil))
            }
        }
        self.host.perform(
            WriteValue(Self.configuration(isOn, characteristic), to: configuration),
            on: link,
            completion: self.completion { interest, result in
                if result.failure != nil {
                    interest.notifying.removeAll { $0 == handle }
                    if !isOn { interest.notifying.append(handle) }
                } else {
                    interest.note { $0.setNotifying(isOn, handle) }
                }
                let isNotifying = result.failure == nil ? isOn : !isOn
                interest.tell(.notifying(name, handle, isNotifying, result.failure))
            }
        )
    }

    /// Whether another object gets notifications of a characteristic, so that the peer sends them in any case.
    func othersWantNotifications(_ handle: AttributeHandle) -> Bool {
        self.peer.interests.contains { $0 !== self && $0.wantsNotifications(handle) }
    }

    /// The value of a Client Characteristic Configuration: notifications before indications.
    static func configuration(_ isOn: Bool, _ characteristic: GATTRemoteCharacteristic) -> ByteBuffer {
        let bits: UInt16 = isOn ? (characteristic.properties.contains(.notify) ? 1 : 2) : 0
        return ByteBuffer(integer: bits, endianness: .little)
    }
}

extension Result where Failure == GATTError {
    /// The error, where there is one.
    var failure: GATTError? {
        switch self {
        case .success: nil
        case .failure(let error): error
        }
    }

    /// Whether the link ended first.
    var isDisconnection: Bool {
        switch self {
        case .failure(.disconnected), .failure(.notConnected): true
        default: false
        }
    }
}
