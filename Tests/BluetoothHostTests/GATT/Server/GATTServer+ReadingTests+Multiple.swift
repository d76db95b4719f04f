// Several values in one request, and a link that loses its security while the application is asked for one.

import NIOCore
import Testing

@testable import BluetoothHost

extension GATTServerReadingTests {
    private static let scripts = ServerScript.all(
        """
        ## GATT/SR/GAR/BV-05-C Read Multiple Characteristic Values
        > 0E 10 00 34 00
        < 0F 01 02 03 07
        > 0E 10 00 13 00 34 00 13 00
        ? read 0013 @0
        = AA
        ? read 0013 @0
        = BB
        < 0F 01 02 03 AA 07 BB
        > 0E 21 00 10 00                      # what does not fit is cut
        < 0F 00..15
        > 0E 21 00 13 00                      # and the application is not asked for it
        < 0F 00..15
        > 0E 10 00
        < 01 0E 00 00 04
        > 0E 10 00 34
        < 01 0E 00 00 04

        ## GATT/SR/GAR/BI-18-C Read Multiple: Read Not Permitted
        > 0E 13 00 24 00                      # before the application is asked for the first value
        < 01 0E 24 00 02

        ## GATT/SR/GAR/BI-19-C Read Multiple: Invalid Handle
        > 0E 10 00 35 00
        < 01 0E 35 00 01

        ## GATT/SR/GAR/BI-20-C Read Multiple: Insufficient Authorization
        > 0E 10 00 13 00
        ? read 0013 @0
        ! 08
        < 01 0E 13 00 08

        ## GATT/SR/GAR/BI-21-C Read Multiple: Insufficient Authentication
        > 0E 10 00 1F 00
        < 01 0E 1F 00 05

        ## GATT/SR/GAR/BI-22-C Read Multiple: Insufficient Encryption Key Size
        with keySize 16
        security authenticated 7
        > 0E 10 00 1F 00
        < 01 0E 1F 00 0C

        ## GATT/SR/GAR/BV-11-C and BV-12-C Read Multiple Variable Length, on the one bearer that there is
        > 20 10 00 34 00
        < 21 03 00 01 02 03 01 00 07
        > 20 13 00 10 00
        ? read 0013 @0
        =
        < 21 00 00 03 00 01 02 03
        > 20 10 00 21 00                      # the length is the value's, though the value is cut
        < 21 03 00 01 02 03 3C 00 00..0E
        > 20 10 00 10 00 10 00 10 00 34 00    # cut within a length
        < 21 03 00 01 02 03 03 00 01 02 03 03 00 01 02 03 03 00 01 02 03 01 00

        ## Read Multiple Variable Length refuses what may not be read
        > 20 10 00 24 00
        < 01 20 24 00 02
        > 20 35 00 10 00
        < 01 20 35 00 01
        > 20 10 00 1F 00
        < 01 20 1F 00 05
        > 20 10 00 13 00
        ? read 0013 @0
        ! 08
        < 01 20 13 00 08
        > 20 10 00
        < 01 20 00 00 04

        ## Read Multiple asks the application only for values that fit the MTU of 23
        > 0E 10 00 10 00 10 00 10 00 10 00 10 00 10 00 34 00 13 00
        < 0F 01 02 03 01 02 03 01 02 03 01 02 03 01 02 03 01 02 03 01 02 03 07
        > 0E 10 00 10 00 10 00 10 00 10 00 10 00 10 00 13 00
        ? read 0013 @0                        # one octet is left
        = AA BB
        < 0F 01 02 03 01 02 03 01 02 03 01 02 03 01 02 03 01 02 03 01 02 03 AA

        ## Read Multiple Variable asks the application only for values that fit the MTU of 23
        > 20 10 00 10 00 34 00 34 00 34 00 34 00 13 00
        < 21 03 00 01 02 03 03 00 01 02 03 01 00 07 01 00 07 01 00 07 01 00 07
        > 20 10 00 34 00 34 00 34 00 34 00 34 00 13 00
        ? read 0013 @0                        # two octets are left: the length of the value
        = AA BB
        < 21 03 00 01 02 03 01 00 07 01 00 07 01 00 07 01 00 07 01 00 07 02 00

        ## a value of the application that fills the response is the last one that is asked for
        > 0E 13 00 13 00
        ? read 0013 @0
        = AA*22
        < 0F AA*22
        > 0E 13 00 13 00
        ? read 0013 @0
        = AA*21
        ? read 0013 @0
        = BB BB
        < 0F AA*21 BB
        > 20 13 00 13 00
        ? read 0013 @0
        = AA*20
        < 21 14 00 AA*20

        ## cuts a value of the application to 512 octets, in its length, too
        exchange 517
        > 20 13 00 10 00
        ? read 0013 @0
        = AA*513
        < 21 00 02 AA*512 03 00
        > 20 13 00 10 00
        ? read 0013 @0
        = AA*511
        < 21 FF 01 AA*511 03 00 01
        > 0E 13 00 10 00
        ? read 0013 @0
        = AA*513
        < 0F AA*512 01 02 03

        ## refuses a later value whose service was removed while the application was asked
        add
        > 0E 37 00 37 00
        ? read 0037 @0
        remove
        = 01
        < 01 0E 37 00 01

        ## sends a value that was read before the link lost its security
        security encrypted 16
        > 0E 1D 00 13 00
        ? read 001D @0
        = 01
        ? read 0013 @0
        security none
        = 02
        < 0F 01 02
        """
    )

    @Test("follows the script for several values", arguments: Self.scripts)
    func multiple(_ script: ServerScript) throws { try script.run() }

    @Test(
        "refuses a value if the link has lost its security when the application answers",
        arguments: [("none", "05"), ("none 16 bonded", "0F"), ("encrypted 7", "0C")] as [(String, String)]
    )
    func lostSecurity(security: String, error: String) throws {
        for (request, offset) in [
            ("0A 1D 00", 0), ("0C 1D 00 02 00", 2), ("08 1D 00 1D 00 06 A0", 0), ("0E 1D 00 13 00", 0),
            ("20 1D 00 13 00", 0),
        ] {
            var runner = try GATTServerScript()
            runner.run(
                """
                with keySize 16
                security encrypted 16
                > \(request)
                ? read 001D @\(offset)
                security \(security)
                = AA
                < 01 \(request.prefix(2)) 1D 00 \(error)
                > 0A 13 00                        # the next request may come
                ? read 0013 @0
                """
            )
        }
    }

    @Test(
        "refuses a later value of several if the link has lost its security when the application answers",
        arguments: [("none", "05"), ("none 16 bonded", "0F"), ("encrypted 7", "0C")] as [(String, String)]
    )
    func lostSecurityLater(security: String, error: String) throws {
        for opcode in ["0E", "20"] {
            var runner = try GATTServerScript()
            runner.run(
                """
                with keySize 16
                security encrypted 16
                > \(opcode) 13 00 1D 00
                ? read 0013 @0
                security \(security)
                = AA
                < 01 \(opcode) 1D 00 \(error)
                """
            )
        }
    }
}
