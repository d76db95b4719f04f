// One CBPeripheral object's wish for a link, and the procedures that it asked for on it: carried out in the order of the
// calls, one callback each.

import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import DequeModule
import NIOCore

/// One wish for a link.
final class Interest {
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

    let name: ConnectionName
    let session: CentralSession
    let peer: Peer
    let options: ConnectOptions
    var phase: Phase = .pending
    /// Whether the object is gone, so that nobody is to be told.
    var isSilent = false

    private var waiting: Deque<GATTOperation> = []
    private var running: Running?
    private var isStarting = false
    /// The PSMs to which channels are to be opened; the first one is being asked for.
    var channelRequests: Deque<CBL2CAPPSM> = []
    /// The value handles for which this object gets notifications.
    private(set) var notifying: ContiguousArray<AttributeHandle> = []

    private enum Running {
        /// One request is on its way; write commands may follow it.
        case request
        /// Several requests in a row; everything else waits.
        case sequence
    }

    init(name: ConnectionName, session: CentralSession, peer: Peer, options: ConnectOptions) {
        self.name = name
        self.session = session
        self.peer = peer
        self.options = options
    }

    private var host: Host { self.session.core.host }

    /// Tells the object's queue, while the link is its own.
    @inline(__always)
    func tell(_ event: CentralEvent) {
        if !self.isSilent { self.session.tell(event) }
    }

    /// The link is gone: nothing of it is told any more.
    func forgetOperations() {
        self.waiting.removeAll()
        self.running = nil
        self.notifying.removeAll()
        self.channelRequests.removeAll()
        self.session.core.channels.close(of: self)
    }

    /// Whether notifications of a characteristic concern this object.
    @inline(__always)
    func wantsNotifications(_ handle: AttributeHandle) -> Bool {
        self.notifying.contains(handle)
    }

    /// The peer's services in `range` are no more.
    func invalidate(_ range: AttributeHandleRange) {
        self.notifying.removeAll { range.contains($0) }
        self.tell(.servicesInvalidated(self.name, range))
    }

    // MARK: Procedures

    /// Queues a procedure.
    func perform(_ operation: GATTOperation) {
        guard case .established = self.phase, let link = self.peer.link else { return }
        if self.waiting.isEmpty, self.canStart(operation) {
            self.start(operation, on: link)
        } else {
            self.waiting.append(operation)
        }
    }

    private func canStart(_ operation: GATTOperation) -> Bool {
        switch self.running {
        case nil: return true
        case .request: if case .writeWithoutResponse = operation { return true } else { return false }
        case .sequence: return false
        }
    }

    private func finish() {
        self.running = nil
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
        _ body: @escaping (Interest, Result<Output, GATTError>) -> Void
    ) -> (Result<Output, GATTError>) -> Void {
        { [weak self] result in
            // What a lost link ends is not told: the disconnection is.
            guard let self, case .established = self.phase, !result.isDisconnection else { return }
            body(self, result)
            self.finish()
        }
    }

    private func start(_ operation: GATTOperation, on link: LinkID) {
        let name = self.name
        switch operation {
        case .writeWithoutResponse(let handle, let value):
            self.peer.writers.append(self)
            self.host.writeWithoutResponse(value, to: handle, on: link)

        case .readValue(let handle):
            self.running = .request
            self.host.read(
                handle,
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
            self.host.read(
                handle,
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
            self.running = .request
            self.host.discoverServices(
                on: link,
                uuids: uuids,
                completion: self.completion { interest, result in
                    let services = (try? result.get()) ?? []
                    interest.session.core.connections.discovered(services, of: interest.peer)
                    let shown = services.filter { !CBPeripheral.hiddenServices.contains($0.uuid) }
                    interest.tell(.services(name, shown, result.failure))
                }
            )

        case .discoverIncludedServices(let range, let uuids):
            self.running = .request
            self.host.discoverIncludedServices(
                on: link,
                of: range,
                completion: self.completion { interest, result in
                    let services = ((try? result.get()) ?? []).filter { uuids?.contains($0.uuid) ?? true }
                    interest.tell(.includedServices(name, of: range, services, result.failure))
                }
            )

        case .discoverCharacteristics(let range, let uuids):
            self.running = .request
            self.host.discoverCharacteristics(
                on: link,
                of: range,
                uuids: uuids,
                completion: self.completion { interest, result in
                    interest.tell(.characteristics(name, of: range, (try? result.get()) ?? [], result.failure))
                }
            )

        case .discoverDescriptors(let characteristic):
            self.running = .request
            self.host.discoverDescriptors(
                on: link,
                of: characteristic,
                completion: self.completion { interest, result in
                    let descriptors = (try? result.get()) ?? []
                    if result.failure == nil { interest.peer.learn(descriptors, of: characteristic) }
                    interest.tell(.descriptors(name, of: characteristic.valueHandle, descriptors, result.failure))
                }
            )

        case .setNotifying(let isOn, let characteristic):
            self.running = .sequence
            self.setNotifying(isOn, characteristic, on: link)
        }
    }

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
        self.host.write(
            value,
            to: handle,
            on: link,
            completion: self.completion { interest, result in interest.tell(event(result.failure)) }
        )
    }

    /// Ends a procedure that needs no answer of the peer, in its turn like any other.
    private func afterwards(_ body: @escaping (Interest) -> Void) {
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
            self.host.discoverDescriptors(on: link, of: characteristic) { [weak self] result in
                guard let self, case .established = self.phase, !result.isDisconnection else { return }
                switch result {
                case .success(let descriptors):
                    self.peer.learn(descriptors, of: characteristic)
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
        let others = self.peer.interests.contains { $0 !== self && $0.wantsNotifications(handle) }
        // The first notification may overtake the answer to this write.
        if isOn { self.notifying.append(handle) } else { self.notifying.removeAll { $0 == handle } }
        guard !others else {
            return self.afterwards { interest in interest.tell(.notifying(name, handle, isOn, nil)) }
        }
        let bits: UInt16 = isOn ? (characteristic.properties.contains(.notify) ? 1 : 2) : 0
        self.host.write(
            ByteBuffer(integer: bits, endianness: .little),
            to: configuration,
            on: link,
            completion: self.completion { interest, result in
                if result.failure != nil {
                    interest.notifying.removeAll { $0 == handle }
                    if !isOn { interest.notifying.append(handle) }
                }
                interest.tell(.notifying(name, handle, isOn, result.failure))
            }
        )
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
