import Testing

@testable import BluetoothHost

@Suite("GATT client: services")
struct GATTServiceDiscoveryTests {
    private static let scripts = TitledScript.all(
        """
        ## GATT/CL/GAD/BV-01-C Discover all primary services
        services
        > 10 01 00 FF FF 00 28 < 11 06 01 00 05 00 00 18  06 00 09 00 01 18  10 00 16 00 0F 18
        > 10 17 00 FF FF 00 28 < 11 14 20 00 28 00 AB 89 67 45 23 01 0A 9E 7F 4C 8B 1D 01 00 9A 8E
        > 10 29 00 FF FF 00 28 < 01 10 29 00 0A
        = 1800 0001-0005, 1801 0006-0009, 180F 0010-0016, 8E9A0001-1D8B-4C7F-9E0A-0123456789AB 0020-0028
        services                              # the last one ends with the handles
        > 10 01 00 FF FF 00 28 < 11 06 01 00 FF FF 00 18
        = 1800 0001-FFFF
        services > 10 01 00 FF FF 00 28 < 01 10 01 00 0A =

        ## GATT/CL/GAD/BV-02-C Discover primary services by UUID
        services 180F
        > 06 01 00 FF FF 00 28 0F 18 < 07 10 00 16 00  30 00 36 00
        > 06 37 00 FF FF 00 28 0F 18 < 01 06 37 00 0A
        = 180F 0010-0016, 180F 0030-0036
        services 8E9A0001-1D8B-4C7F-9E0A-0123456789AB
        > 06 01 00 FF FF 00 28 AB 89 67 45 23 01 0A 9E 7F 4C 8B 1D 01 00 9A 8E < 07 20 00 FF FF
        = 8E9A0001-1D8B-4C7F-9E0A-0123456789AB 0020-FFFF
        services none =

        ## GATT/CL/GAD/BV-02-C One run for each UUID, in the order of the filter and each UUID once
        services 180F 1800 00001800-0000-1000-8000-00805F9B34FB
        > 06 01 00 FF FF 00 28 0F 18 < 07 10 00 FF FF
        > 06 01 00 FF FF 00 28 00 18 < 07 01 00 05 00
        > 06 06 00 FF FF 00 28 00 18 < 01 06 06 00 0A
        = 180F 0010-FFFF, 1800 0001-0005
        services 00001800-0000-1000-8000-00805F9B34FB
        > 06 01 00 FF FF 00 28 00 18 < 01 06 01 00 0A  # the 128-bit form of a short UUID is sent in its short form
        =

        ## GATT/CL/GAD/BV-03-C Find included services
        included 0020 0040
        > 08 20 00 40 00 02 28 < 09 08 21 00 01 00 05 00 00 18  22 00 10 00 16 00 0F 18
        > 08 23 00 40 00 02 28 < 09 06 24 00 50 00 58 00
        > 08 25 00 40 00 02 28 < 01 08 25 00 0A
        > 04 01 00 01 00 < 05 01 01 00 00 28  # primary or secondary?
        > 04 10 00 10 00 < 05 01 10 00 01 28
        > 0A 50 00                            # a 128-bit UUID is read from the declaration
        < 0B AB 89 67 45 23 01 0A 9E 7F 4C 8B 1D 01 00 9A 8E
        > 04 50 00 50 00 < 05 01 50 00 01 28
        = 1800 0001-0005, 180F 0010-0016 secondary, 8E9A0001-1D8B-4C7F-9E0A-0123456789AB 0050-0058 secondary

        ## GATT/CL/GAD/BV-03-C Include declarations at both ends of the service, and none at all
        included 0020 0021
        > 08 20 00 21 00 02 28 < 09 08 20 00 01 00 05 00 00 18
        > 08 21 00 21 00 02 28 < 09 08 21 00 50 00 50 00 01 18
        > 04 01 00 01 00 < 05 01 01 00 00 28
        > 04 50 00 50 00 < 05 01 50 00 00 28
        = 1800 0001-0005, 1801 0050-0050
        included 0020 0021 > 08 20 00 21 00 02 28 < 01 08 20 00 0A =

        ## ends a discovery with an error other than Attribute Not Found
        services > 10 01 00 FF FF 00 28 < 01 10 01 00 05 = error 05 0001
        services 180F > 06 01 00 FF FF 00 28 0F 18 < 01 06 01 00 80 = error 80 0001
        included 0001 0009 > 08 01 00 09 00 02 28 < 01 08 01 00 0E = error 0E 0001

        ## ends the search for included services with any error for one of their declarations
        included 0020 0021
        > 08 20 00 21 00 02 28 < 09 06 21 00 50 00 58 00
        > 0A 50 00 < 01 0A 50 00 0A
        = error 0A 0050
        included 0020 0021
        > 08 20 00 21 00 02 28 < 09 08 21 00 50 00 58 00 00 18
        > 04 50 00 50 00 < 01 04 50 00 0A
        = error 0A 0050

        ## Hostile: refuses a second answer that steps back behind the first
        services
        > 10 01 00 FF FF 00 28 < 11 06 01 00 05 00 00 18
        > 10 06 00 FF FF 00 28 < 11 06 01 00 05 00 00 18
        = malformed
        services 180F
        > 06 01 00 FF FF 00 28 0F 18 < 07 10 00 16 00
        > 06 17 00 FF FF 00 28 0F 18 < 07 16 00 18 00
        = malformed
        """
    )

    @Test("follows the script", arguments: Self.scripts)
    func script(_ script: TitledScript) { script.runOnClient() }
}
