// The asynchronous client in both roles, on the main queue and in real time.

import ClientSamples
import CoreBluetooth
import Testing

@Suite("Sample client: async/await in Swift 6")
@MainActor
struct AsyncClientTests {
    private let air = PrivateAir()

    private func gadget(status: String = "ready") async throws -> AsyncGadget {
        let gadget = AsyncGadget(
            service: Gadget.service,
            status: (Gadget.status, Data(status.utf8)),
            command: Gadget.command,
            event: Gadget.event
        )
        try await self.air.makeAdapter().run { try await gadget.open() }
        return gadget
    }

    private func connected(_ central: AsyncCentral) async throws -> AsyncPeripheral {
        await central.poweredOn()
        for await peripheral in central.peripherals(with: [Gadget.service]) {
            return try await central.connect(peripheral)
        }
        throw AsyncClientError.notFound
    }

    @Test("holds a conversation in straight lines")
    func conversation() async throws {
        let gadget = try await self.gadget(status: String(repeating: "long ", count: 80))
        let echo = Task {
            for await command in gadget.commands {
                for number in 1...100 { await gadget.send("\(command) \(number)") }
            }
        }
        let central = self.air.makeAdapter().run { AsyncCentral() }
        let peripheral = try await self.connected(central)
        let status = try await peripheral.read(peripheral.characteristic(Gadget.status, of: Gadget.service))
        #expect(status == Data(String(repeating: "long ", count: 80).utf8))

        let events = try await peripheral.values(of: peripheral.characteristic(Gadget.event, of: Gadget.service))
        let command = try await peripheral.characteristic(Gadget.command, of: Gadget.service)
        try await peripheral.write(Data("blink".utf8), to: command)
        var heard: [String] = []
        for try await value in events {
            heard.append(String(decoding: value, as: UTF8.self))
            if heard.count == 100 { break }
        }
        #expect(heard == (1...100).map { "blink \($0)" })
        await central.disconnect(peripheral)
        #expect(peripheral.peripheral.state == .disconnected)
        echo.cancel()
    }

    @Test("throws errors where the code waits")
    func errors() async throws {
        let gadget = try await self.gadget()
        let central = self.air.makeAdapter().run { AsyncCentral() }
        let peripheral = try await self.connected(central)
        await #expect(throws: AsyncClientError.self) {
            _ = try await peripheral.characteristic(CBUUID(string: "2A19"), of: Gadget.service)
        }
        let status = try await peripheral.characteristic(Gadget.status, of: Gadget.service)
        do {
            try await peripheral.write(Data([1]), to: status)
            Issue.record("written")
        } catch CBATTError.writeNotPermitted {
            #expect(peripheral.peripheral.state == .connected)
        }
        await central.disconnect(peripheral)
        withExtendedLifetime(gadget) {}
    }

    @Test("cancels a connection with its task")
    func cancellation() async throws {
        let gadget = try await self.gadget()
        let central = self.air.makeAdapter().run { AsyncCentral() }
        await central.poweredOn()
        var found: UUID?
        for await peripheral in central.peripherals(with: [Gadget.service]) {
            found = peripheral
            break
        }
        let peripheral = try #require(found)
        let connecting = Task { try await central.connect(peripheral) }
        connecting.cancel()
        // Whichever is faster: there is an end in any case.
        switch await connecting.result {
        case .success(let wrapper): await central.disconnect(wrapper)
        case .failure(let error): #expect(error is CancellationError)
        }
        withExtendedLifetime(gadget) {}
    }
}
