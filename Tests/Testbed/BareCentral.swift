// A central without Core Bluetooth: a host alone, for what the façade never sends, such as a read from an offset of its
// own or pieces of a prepared write that leave a gap.

package import BluetoothTypes
import CoreBluetoothTesting
package import NIOCore
import Testing

@testable package import BluetoothHost

/// A host alone, on the air of a testbed.
package final class BareCentral: LEHostDelegate {
    /// The host.
    package let host: LEHost
    private let testbed: Testbed
    private var heard: DeviceAddress?
    private var link: LinkID?

    /// Creates it, with a controller that is ready.
    package init(in testbed: Testbed) {
        self.testbed = testbed
        self.host = LEHost(eventLoop: testbed.loop)
        self.host.delegate = self
        self.host.attach(to: testbed.air.makeController())
        testbed.run { self.host.state == .ready }
    }

    package func host(_ host: LEHost, didReceiveAdvertisement report: AdvertisingReport) {
        if self.heard == nil, report.isConnectable { self.heard = report.address }
    }

    package func host(_ host: LEHost, didConnect link: LinkInformation) { self.link = link.id }

    /// Connects to the first device that is heard.
    package func connect() throws -> LinkID {
        self.host.startScanning(ScanParameters())
        self.testbed.run { self.heard != nil }
        self.host.stopScanning()
        self.host.connect(to: try #require(self.heard))
        self.testbed.run { self.link != nil }
        return try #require(self.link)
    }

    /// The handles of the values of a service's characteristics, in their order.
    package func valueHandles(of service: BluetoothUUID, on link: LinkID) throws -> [AttributeHandle] {
        let services = try self.perform(DiscoverPrimaryServices(uuids: [service]), on: link).get()
        let handles = try #require(services.first).handles
        return try self.perform(DiscoverCharacteristics(of: handles), on: link).get().map(\.valueHandle)
    }

    /// Runs a procedure to its end.
    package func perform<Procedure: GATTProcedure>(
        _ procedure: Procedure,
        on link: LinkID
    ) -> Result<Procedure.Output, GATTError> {
        var result: Result<Procedure.Output, GATTError>?
        self.host.perform(procedure, on: link) { result = $0 }
        self.testbed.run { result != nil }
        return result ?? .failure(.malformedResponse)
    }
}

/// Two pieces of one value, prepared at offsets of their own and executed, whether they meet or not.
package struct WriteInPieces: GATTRequestProcedure {
    private let handle: AttributeHandle
    private var pieces: [(offset: Int, value: ByteBuffer)]

    /// The pieces, in the order in which they are prepared.
    package init(_ handle: AttributeHandle, _ pieces: [(offset: Int, value: ByteBuffer)]) {
        self.handle = handle
        self.pieces = pieces
    }

    package mutating func begin(mtu: Int) -> GATTStep<Void> {
        guard !self.pieces.isEmpty else { return .send(ATTExecuteWriteRequest(flags: .write)) }
        let piece = self.pieces.removeFirst()
        return .send(ATTPrepareWriteRequest(handle: self.handle, offset: UInt16(piece.offset), value: piece.value))
    }

    package mutating func receive(_ response: ByteBuffer, mtu: Int) throws(MalformedBytes) -> GATTStep<Void> {
        if (try? ATTExecuteWriteResponse(parsing: response)) != nil { return .finish(.success(())) }
        return self.begin(mtu: mtu)
    }
}
