// The user of a host that walks, with values: services that come and go, procedures of the client, requests that are
// answered late, and notifications.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore

@testable import BluetoothHost

extension HostWalkUser {
    /// What it knows of its own database and of requests that wait.
    struct Values {
        var services: [GATTServiceHandles] = []
        var reads: [GATTReadRequest] = []
        var writes: [GATTWriteRequest] = []
        var procedures: [(GATTProcedureID, LinkID)] = []
    }

    private static func completion<Success>(
        _ user: HostWalkUser,
        _ what: String
    ) -> (Result<Success, GATTError>) -> Void {
        { [unowned user] in user.note("\(what) \($0)") }
    }

    /// Something about the database of this device.
    private func changeDatabase() {
        if self.values.services.count > 2 || self.choice.oneIn(4), let service = self.values.services.first {
            self.values.services.removeFirst()
            return self.host.removeService(service.range.lowerBound)
        }
        let security = self.choice.one([.none, .encrypted, .authenticated] as [SecurityRequirement])
        let definition = GATTServiceDefinition(
            uuid: 0xA000,
            characteristics: [
                GATTCharacteristicDefinition(
                    uuid: 0xA001,
                    properties: [.read, .write, .writeWithoutResponse, .notify, .indicate],
                    permissions: AttributePermissions(read: security, write: security),
                    value: self.choice.oneIn(3) ? hex("01 02 03") : nil,
                    subscriptionSecurity: self.choice.oneIn(3) ? .encrypted : .none
                )
            ]
        )
        guard let handles = try? self.host.addService(definition) else { return }
        self.note("\(handles)")
        self.values.services.append(handles)
    }

    /// Something about values.
    func useValues() {
        guard !self.host.links.isEmpty, !self.choice.oneIn(6) else { return self.changeDatabase() }
        let link = self.choice.oneIn(20) ? LinkID(rawValue: 0) : self.choice.one(self.host.links).id
        // The first handles of a database, up to a service of the peer.
        let handle = AttributeHandle(self.choice.number(1...24))
        let value = ByteBuffer(repeating: 5, count: self.choice.one([0, 1, 2, 20, 100, 512]))
        switch self.choice.below(17) {
        case 0, 1:
            self.add(self.host.perform(ReadValue(handle), on: link, completion: Self.completion(self, "read")), link)
        case 2, 3:
            self.add(
                self.host.perform(WriteValue(value, to: handle), on: link, completion: Self.completion(self, "write")),
                link
            )
        case 4, 5:
            let configuration = ByteBuffer(bytes: [UInt8(self.choice.below(3)), 0])
            let write = WriteValue(configuration, to: handle)
            self.add(self.host.perform(write, on: link, completion: Self.completion(self, "subscribe")), link)
        case 6, 7:
            let isWanted = !self.choice.oneIn(3)
            let make = { isWanted ? ReadValue(handle) : nil }
            let completion: (Result<ByteBuffer, GATTError>) -> Void = Self.completion(self, "read when its turn comes")
            let isNext = self.choice.oneIn(2)
            self.add(
                isNext
                    ? self.host.performNext(on: link, whenItsTurnComes: make, completion: completion)
                    : self.host.perform(on: link, whenItsTurnComes: make, completion: completion),
                link
            )
        case 8:
            guard !self.values.procedures.isEmpty else { return }
            let (procedure, link) = self.values.procedures.removeFirst()
            self.host.cancel(procedure, on: link)
        case 9: self.host.writeWithoutResponse(value, to: handle, on: link, token: .writeCommand)
        case 10: self.host.cancelWritesWithoutResponse(to: handle...AttributeHandle(24), on: link)
        case 11: self.host.validateDatabaseCache(on: link)
        case 12, 13: self.notify(value, to: link)
        default: self.respond()
        }
        self.note("\(self.host.mtu(of: link))")
    }

    private func add(_ procedure: GATTProcedureID, _ link: LinkID) {
        self.note("\(procedure)")
        self.values.procedures.append((procedure, link))
    }

    private func notify(_ value: ByteBuffer, to link: LinkID) {
        guard let characteristic = self.values.services.last?.characteristics.first?.value else { return }
        let isSent =
            self.choice.oneIn(4)
            ? self.host.notifyUnconditionally(value, characteristic: characteristic, to: link)
            : self.host.notify(value, characteristic: characteristic, to: link, token: .notification)
        self.note("\(isSent)")
    }

    private func respond() {
        if let read = self.values.reads.first {
            self.values.reads.removeFirst()
            let refuses = self.choice.oneIn(5)
            self.host.respond(to: read.id, with: refuses ? .failure(.unlikelyError) : .success(hex("0A 0B")))
        } else if let write = self.values.writes.first {
            self.values.writes.removeFirst()
            if let id = write.id { self.host.respond(to: id, error: self.choice.oneIn(5) ? .unlikelyError : nil) }
        }
    }

    // MARK: What it hears

    func host(_ host: LEHost, didReceiveReadRequest request: GATTReadRequest) {
        self.note("\(request)")
        self.values.reads.append(request)
    }

    func host(_ host: LEHost, didReceiveWriteRequest request: GATTWriteRequest) {
        self.note("\(request)")
        self.values.writes.append(request)
    }

    func host(_ host: LEHost, link: LinkID, didReceiveWriteCommand value: ByteBuffer, to handle: AttributeHandle) {
        self.note("\(link) \(value) \(handle)")
    }

    func host(_ host: LEHost, link: LinkID, didReceiveValue value: ByteBuffer, for handle: AttributeHandle) {
        self.note("\(link) \(value) \(handle)")
    }

    func host(_ host: LEHost, link: LinkID, didSubscribe isSubscribed: Bool, toCharacteristic handle: AttributeHandle) {
        self.note("\(link) \(isSubscribed) \(handle)")
    }

    func host(_ host: LEHost, link: LinkID, didTransmit count: Int, for token: TransmitToken) {
        self.note("\(link) \(count) \(token)")
    }

    func host(_ host: LEHost, link: LinkID, didValidateDatabaseCache validation: GATTDatabaseValidation) {
        self.note("\(link) \(validation)")
    }

    func host(_ host: LEHost, link: LinkID, didInvalidateServicesIn range: AttributeHandleRange) {
        self.note("\(link) \(range)")
    }

    func host(_ host: LEHost, didFindDatabaseOutOfSyncOn link: LinkID) { self.note("\(link) is out of sync") }

    func host(_ host: LEHost, link: LinkID, didAcceptSignCounter counter: UInt32) { self.note("\(link) \(counter)") }
}
