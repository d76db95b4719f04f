// The queue of a bearer: what waits for what, when procedures are made, what cancelling does, and that each write
// command is counted once for its owner.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT client: the queue")
struct GATTQueueTests {
    private static let one = TransmitToken(rawValue: 1)
    private static let other = TransmitToken(rawValue: 2)

    /// A characteristic whose descriptors are 0004 and 0005.
    static let characteristic = GATTRemoteCharacteristic(
        uuid: 0xA001,
        properties: [.write, .notify],
        declarationHandle: 0x0002,
        valueHandle: 0x0003,
        endHandle: 0x0005
    )

    // MARK: Order

    @Test("65,536 procedures wait, unless another limit is set")
    func standardLimit() {
        var bearer = ATTBearer(link: LinkID(rawValue: 1))
        var actions: [ATTBearer.Action] = []
        for number in 0...65_536 as ClosedRange<UInt64> {
            #expect(actions.isEmpty)
            let procedure = OwnedProcedure(ReadDeviceName(), id: GATTProcedureID(rawValue: number)) { _ in }
            bearer.perform(procedure, into: &actions)
        }
        #expect(actions.count == 1)
    }

    @Test
    func `A write command leaves while the answer to a request is awaited, but not before what was asked earlier`() {
        var script = ClientScript()
        script.start(.read(0x0003))
        script.writeCommand(0x0007, hex("01"))
        script.play("> 0A 03 00 \n > 52 07 00 01")
        script.start(.read(0x0004))
        script.writeCommand(0x0007, hex("02"))
        script.play("< 0B AA \n > 0A 04 00 \n > 52 07 00 02")
        #expect(script.takeTransmitted() == [Transmission(token: .standard, count: 2)])
    }

    @Test func `A write command waits until an exclusive procedure has ended`() {
        var script = ClientScript()
        script.start(.configure(.notifications, of: Self.characteristic))
        script.writeCommand(0x0003, hex("01"))
        script.play(
            """
            > 04 04 00 05 00
            < 05 01 04 00 02 29
            > 04 05 00 05 00
            < 01 04 05 00 0A
            > 12 04 00 01 00
            < 13
            > 52 03 00 01
            """
        )
        script.start(.writeReliably([AttributeValue(handle: 0x0007, value: hex("AA"))]))
        script.writeCommand(0x0007, hex("02"))
        script.play("> 16 07 00 00 00 AA \n < 17 07 00 00 00 AA \n > 18 01 \n < 19 \n > 52 07 00 02")
    }

    @Test func `A procedure that is cancelled while it waits makes room for another one`() {
        var script = ClientScript(queueLimit: 2)
        script.start(.read(0x0003))
        let waiting = script.start(.read(0x0004))
        script.start(.read(0x0005))
        script.start(.read(0x0006))
        #expect(script.takeReported().count == 1, "there is room for two")
        script.cancel(waiting)
        _ = script.takeReported()
        script.start(.read(0x0007))
        #expect(script.takeReported().isEmpty)
        script.start(.read(0x0008))
        #expect(script.takeReported().count == 1)
        script.play("> 0A 03 00 \n < 0B AA \n > 0A 05 00 \n < 0B BB \n > 0A 07 00 \n < 0B CC")
    }

    // MARK: Made in turn

    @Test func `A procedure is made when the results before it are known`() {
        var script = ClientScript()
        final class Cache { var value: ByteBuffer? }
        let cache = Cache()
        var made = 0
        let first = script.start(
            whenItsTurnComes: {
                made += 1
                return ReadValue(0x0003)
            },
            {
                cache.value = $0
                return .value($0)
            }
        )
        #expect(made == 1)
        let second = script.start(
            whenItsTurnComes: { cache.value == nil ? ReadValue(0x0003) : nil },
            ClientProcedure.Output.value
        )
        let third = script.start(.read(0x0009))
        script.play("> 0A 03 00 \n < 0B AA \n > 0A 09 00 \n < 0B BB")
        #expect(
            script.takeReported() == [
                .complete(first, .success(.value(hex("AA")))), .complete(third, .success(.value(hex("BB")))),
            ]
        )
        #expect(second != third)
    }

    @Test func `The end of the link ends a procedure that was not made yet`() {
        var script = ClientScript()
        let first = script.start(.read(0x0003))
        var made = 0
        let second = script.start(
            whenItsTurnComes: { () -> ReadValue? in
                made += 1
                return nil
            },
            ClientProcedure.Output.value
        )
        script.play("> 0A 03 00")
        script.close()
        let failure = ClientScript.Outcome.failure(.disconnected(.remoteUserTerminated))
        #expect(script.takeReported() == [.complete(first, failure), .complete(second, failure)])
        #expect(made == 0)
    }

    @Test func `A procedure that ends while it is made is not begun, and reports only the end of its link`() {
        let failure = GATTError.disconnected(.remoteUserTerminated)
        for endsLink in [false, true] {
            var outcomes: [Result<ByteBuffer, GATTError>] = []
            weak var made: OwnedProcedure?
            let procedure = OwnedProcedure(id: GATTProcedureID(rawValue: 1)) {
                if endsLink { made?.fail(failure) } else { made?.cancel() }
                return ReadValue(0x0003)
            } completion: {
                outcomes.append($0)
            }
            made = procedure
            procedure.make()
            #expect(!procedure.isOpen)
            procedure.report()
            procedure.report()
            #expect(outcomes == (endsLink ? [.failure(failure)] : []))
        }
    }

    // MARK: Cancelling

    @Test func `A cancelled procedure is not begun, and one that runs does not report`() {
        var script = ClientScript()
        let running = script.start(.read(0x0003))
        let waiting = script.start(.read(0x0004))
        let last = script.start(.read(0x0005))
        script.cancel(waiting)
        script.cancel(running)
        script.cancel(GATTProcedureID(rawValue: 99))
        script.play("> 0A 03 00 \n < 0B AA \n > 0A 05 00 \n < 0B BB")
        #expect(script.takeReported() == [.complete(last, .success(.value(hex("BB"))))])
        script.cancel(last)
        script.close()
        #expect(script.takeReported() == [])
    }

    // MARK: Counting

    @Test func `Each write command is counted once for its owner: sent, dropped, or ended with the link`() {
        var script = ClientScript()
        script.writeCommand(0x0007, hex("01"), token: Self.one)
        script.writeCommand(0x0007, hex("02"), token: Self.other)
        script.play("> 52 07 00 01 \n > 52 07 00 02")
        #expect(
            script.takeTransmitted() == [
                Transmission(token: Self.one, count: 1), Transmission(token: Self.other, count: 1),
            ]
        )
        script.start(.read(0x0003))
        script.start(.read(0x0004))
        script.writeCommand(0x0007, hex("03"), token: Self.one)
        script.writeCommand(0x0008, hex("04"), token: Self.other)
        script.writeCommand(0x0007, hex("05"), token: Self.one)
        script.play("> 0A 03 00")
        script.dropCommands(to: 0x0008...0x0009)
        #expect(script.takeTransmitted() == [Transmission(token: Self.other, count: 1)])
        script.close()
        script.writeCommand(0x0007, hex("06"), token: Self.one)
        script.play("")
        #expect(script.takeTransmitted() == [Transmission(token: Self.one, count: 3)])
    }

    @Test func `After a request that stayed unanswered, write commands are counted and not sent`() {
        var script = ClientScript()
        script.start(.configure(.notifications, of: Self.characteristic, at: 0x0004))
        script.writeCommand(0x0007, hex("01"), token: Self.one)
        script.play("> 12 04 00 01 00")
        script.advance(.seconds(30))
        script.writeCommand(0x0007, hex("02"), token: Self.one)
        script.play("")
        #expect(script.takeTransmitted() == [Transmission(token: Self.one, count: 2)])
    }

    // MARK: Configuring notifications

    @Test func `A known Client Characteristic Configuration is written at once`() {
        #expect(
            ClientScript.run(
                .configure(.indications, of: Self.characteristic, at: 0x0004),
                "> 12 04 00 02 00 \n < 13"
            ) == .success(.configured(nil))
        )
        #expect(
            ClientScript.run(
                .configure([], of: Self.characteristic, at: 0x0004),
                "> 12 04 00 00 00 \n < 01 12 04 00 05"
            ) == .failure(.att(.insufficientAuthentication, handle: 0x0004))
        )
        #expect(
            ClientScript.run(
                .configure(.notifications, of: Self.characteristic, at: 0x0004),
                "> 12 04 00 01 00 \n < 13 00"
            ) == .failure(.malformedResponse),
            "a Write Response has no parameters"
        )
    }

    @Test func `An unknown Client Characteristic Configuration is discovered first`() {
        let descriptors = [
            GATTRemoteDescriptor(uuid: 0x2901, handle: 0x0004), GATTRemoteDescriptor(uuid: 0x2902, handle: 0x0005),
        ]
        #expect(
            ClientScript.run(
                .configure(.notifications, of: Self.characteristic),
                "> 04 04 00 05 00 \n < 05 01 04 00 01 29 05 00 02 29 \n > 12 05 00 01 00 \n < 13"
            ) == .success(.configured(descriptors))
        )
        #expect(
            ClientScript.run(
                .configure(.notifications, of: Self.characteristic),
                "> 04 04 00 05 00 \n < 01 04 04 00 0A"
            ) == .failure(.att(.attributeNotFound, handle: 0x0003))
        )
        #expect(
            ClientScript.run(
                .configure(.notifications, of: Self.characteristic),
                "> 04 04 00 05 00 \n < 01 04 04 00 0E"
            ) == .failure(.att(.unlikelyError, handle: 0x0004))
        )
        #expect(
            ClientScript.run(.configure(.notifications, of: Self.characteristic), "> 04 04 00 05 00 \n < 05 07 04 00")
                == .failure(.malformedResponse)
        )
    }

    @Test("GATT/CL/GAR/BV-03-C A device name that fills the answer is read on by its handle")
    func deviceName() {
        #expect(
            ClientScript.run(.readDeviceName, "> 08 01 00 FF FF 00 2A \n < 09 05 03 00 41 42 43")
                == .success(.value(hex("41 42 43")))
        )
        let name = octets(30, from: 0x30)
        let first = name.getSlice(at: 0, length: 19) ?? name
        let second = name.getSlice(at: 0, length: 22) ?? name
        let rest = name.getSlice(at: 22, length: 8) ?? name
        #expect(
            ClientScript.run(
                .readDeviceName,
                """
                > 08 01 00 FF FF 00 2A
                < 09 15 03 00 \(hex(first))
                > 0A 03 00
                < 0B \(hex(second))
                > 0C 03 00 16 00
                < 0D \(hex(rest))
                """
            ) == .success(.value(name))
        )
        #expect(
            ClientScript.run(.readDeviceName, "> 08 01 00 FF FF 00 2A \n < 01 08 01 00 0A")
                == .failure(.att(.attributeNotFound, handle: 1))
        )
    }
}
