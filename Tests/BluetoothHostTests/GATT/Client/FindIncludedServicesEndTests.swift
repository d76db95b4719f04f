// Where the search for included services ends: with the last handle of the service, and not before.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT client: the end of a search for included services")
struct FindIncludedServicesEndTests {
    @Test("A declaration may follow at the last handle of the service, which is asked for by itself")
    func lastHandle() {
        let first = "> 08 20 00 22 00 02 28 \n < 09 08 21 00 01 00 05 00 00 18 \n > 08 22 00 22 00 02 28 \n"
        let service = GATTRemoteService(uuid: 0x1800, handles: 0x0001...0x0005, isPrimary: true)
        #expect(
            ClientScript.run(
                .discoverIncludedServices(0x0020...0x0022),
                first + "< 01 08 22 00 0A \n > 04 01 00 01 00 \n < 05 01 01 00 00 28"
            ) == .success(.services([service]))
        )
        #expect(
            ClientScript.run(
                .discoverIncludedServices(0x0020...0x0022),
                first
                    + """
                    < 09 08 22 00 10 00 16 00 0F 18
                    > 04 01 00 01 00
                    < 05 01 01 00 00 28
                    > 04 10 00 10 00
                    < 05 01 10 00 01 28
                    """
            )
                == .success(
                    .services([
                        service, GATTRemoteService(uuid: 0x180F, handles: 0x0010...0x0016, isPrimary: false),
                    ])
                )
        )
    }
}
