// The database at its edges: gaps beside services of one handle, values that read like the UUID of a service, and
// built-in services of one handle.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT database: edges")
struct GATTDatabaseEdgesTests {
    /// A service of one handle.
    private static func service(at handle: AttributeHandle? = nil) -> GATTServiceDefinition {
        GATTServiceDefinition(uuid: 0xA000, handle: handle, characteristics: [])
    }

    @Test(
        "A service of one handle where the search for a gap begins, or goes on, is passed over",
        arguments: [
            // Behind the last handle the search begins anew.
            ([1, 3, 0xFFFF], 2), ([1, 2, 4, 0xFFFF], 3), ([1, 2, 3, 0xFFFF], 4),
            // It begins behind the service that was added last.
            ([3, 5, 2], 4), ([3, 4, 6, 2], 5),
        ] as [([AttributeHandle], AttributeHandle)]
    )
    func oneHandle(taken: [AttributeHandle], next: AttributeHandle) throws {
        var database = GATTDatabase()
        for handle in taken { _ = try database.add(Self.service(at: handle)) }
        let handles = try database.add(Self.service())
        #expect(handles.range == next...next)
        #expect(database.attributes.map(\.handle) == (taken + [next]).sorted())
    }

    @Test("A value that reads like the UUID of a service is none that can be included")
    func includedValue() throws {
        var database = GATTDatabase()
        let definition = GATTServiceDefinition(
            uuid: 0xB000,
            characteristics: [
                GATTServerFixture.fixed(0xB001, "0F 18"),
                GATTServerFixture.fixed(0xB002, "00 FF EE DD CC BB AA 99 88 77 66 55 44 33 22 11"),
            ]
        )
        #expect(try database.add(definition).range == 1...5)
        for handle in [3, 5] as [AttributeHandle] {
            let including = GATTServiceDefinition(uuid: 0xA000, includedServices: [handle], characteristics: [])
            #expect(throws: GATTDatabaseError.unknownIncludedService) { try database.add(including) }
        }
        #expect(database.services == [1...5])
    }

    @Test(
        "The built-in services stay, whichever there are, and the first one behind them can be removed",
        arguments: [
            (.absent, [1...5]), (.empty, [1...5, 6...6]), (.serviceChanged, [1...5, 6...9]),
            (.full, [1...5, 6...13]),
        ] as [(GenericAttributeService, [AttributeHandleRange])]
    )
    func builtIn(content: GenericAttributeService, services: [AttributeHandleRange]) throws {
        var configuration = GATTServer.Configuration()
        configuration.genericAttribute = content
        var server = GATTServer(configuration: configuration)
        #expect(server.database.services == services)
        for service in services {
            let kept = server.remove(service.lowerBound)
            #expect(kept == nil)
        }
        #expect(server.database.services == services)
        let handles = try server.add(Self.service())
        let removed = server.remove(handles.range.lowerBound)
        #expect(removed == handles.range)
        #expect(server.database.services == services)
    }
}
